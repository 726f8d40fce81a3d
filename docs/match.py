#!/usr/bin/env python3
"""A match between two evaluations of one engine: pairs of games from random openings, a fixed number of nodes a move.

    match.py PROGRAM FIRST SECOND [GAMES [NODES]]

FIRST and SECOND are values of the option EvalFile: files, <empty> for the built-in network, <material>. Needs
python-chess. Tells the score of FIRST, and the difference in Elo with twice its standard error.
"""

import math
import random
import sys

import chess
import chess.engine


def opening(generator):
    """A position after eight random moves in which the game goes on."""
    while True:
        board = chess.Board()
        for _ in range(8):
            if board.is_game_over():
                break
            board.push(generator.choice(list(board.legal_moves)))
        else:
            if not board.is_game_over():
                return board


def play(board, players, limit):
    """Points of White."""
    game = object()
    while not board.is_game_over(claim_draw=True) and board.fullmove_number < 200:
        board.push(players[board.turn].play(board, limit, game=game).move)
    return {"1-0": 1.0, "0-1": 0.0}.get(board.result(claim_draw=True), 0.5)


def elo(share):
    return -400 * math.log10(1 / min(max(share, 1e-3), 1 - 1e-3) - 1)


def main(program, first, second, games=100, nodes=2000):
    generator, limit, pairs = random.Random(1), chess.engine.Limit(nodes=int(nodes)), []
    engines = [chess.engine.SimpleEngine.popen_uci(program) for _ in range(2)]
    for engine, evaluation in zip(engines, (first, second)):
        engine.configure({"EvalFile": evaluation, "Hash": 8})
    for _ in range(int(games) // 2):
        board = opening(generator)
        as_white = play(board.copy(), {chess.WHITE: engines[0], chess.BLACK: engines[1]}, limit)
        as_black = 1 - play(board, {chess.WHITE: engines[1], chess.BLACK: engines[0]}, limit)
        pairs.append((as_white + as_black) / 2)
    for engine in engines:
        engine.quit()
    share = sum(pairs) / len(pairs)
    error = 2 * math.sqrt(sum((pair - share) ** 2 for pair in pairs) / len(pairs) / max(len(pairs) - 1, 1))
    low, high = elo(share - error), elo(share + error)
    print(f"{first} against {second}: {100 * share:.1f} % of {2 * len(pairs)} games,", end=" ")
    print(f"Elo {elo(share):+.0f} ({low:+.0f} to {high:+.0f})")


if __name__ == "__main__":
    if not 4 <= len(sys.argv) <= 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
