#!/usr/bin/env python3
"""Lets python-chess use the engine as its users do: play, ponder, analyse, limit strength, Chess960.

    python3 tests/clients/python_chess.py ENGINE        # needs: pip install chess

Every warning that python-chess logs counts as a failure, and so does every illegal move, which it refuses itself.
"""

import logging
import sys

import chess
import chess.engine


class Warnings(logging.Handler):
    """Collects what python-chess complains about."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


def plays_and_ponders(engine):
    """A short game at a fast clock; the engine thinks on while the opponent (itself) moves."""
    board = chess.Board()
    clock = {chess.WHITE: 3.0, chess.BLACK: 3.0}
    for _ in range(40):
        if board.is_game_over():
            break
        limit = chess.engine.Limit(white_clock=clock[True], black_clock=clock[False], white_inc=0.02, black_inc=0.02)
        result = engine.play(board, limit, ponder=True, info=chess.engine.INFO_ALL)
        assert result.info["score"] is not None and result.info["pv"][0] == result.move, result
        if result.ponder is not None:
            after = board.copy()
            after.push(result.move)
            assert after.is_legal(result.ponder), result
        clock[board.turn] -= result.info["time"] - 0.02
        board.push(result.move)
    assert board.ply() == 40 or board.is_game_over(), board


def analyses_with_several_lines(engine):
    """MultiPV with chances, stopped by the client."""
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")
    engine.configure({"UCI_ShowWDL": True})
    infos = engine.analyse(board, chess.engine.Limit(depth=8), multipv=4)
    assert len(infos) == 4, infos
    assert len({info["pv"][0] for info in infos}) == 4, infos
    scores = [info["score"].relative.score(mate_score=100000) for info in infos]
    assert scores == sorted(scores, reverse=True), scores
    assert all(info["wdl"].relative.total() == 1000 for info in infos), infos
    with engine.analysis(board) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 6:
                break
    assert analysis.wait().move in board.legal_moves
    only = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    assert engine.analyse(board, chess.engine.Limit(nodes=2000), root_moves=only)["pv"][0] in only
    mate = engine.analyse(chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"), chess.engine.Limit(depth=5))
    assert mate["score"].relative == chess.engine.Mate(1), mate


def limits_its_strength(engine):
    """The options that lichess-bot and others set."""
    board = chess.Board()

    def move_and_nodes():
        result = engine.play(board, chess.engine.Limit(time=0.2), info=chess.engine.INFO_ALL)
        return result.move, result.info["nodes"]

    # docs/levels.md: 3000 nodes a move at Elo 600, and hardly more at 1200 (3400) or skill 5 (1150).
    engine.configure({"UCI_LimitStrength": True, "UCI_Elo": 1200, "Hash": 32, "Threads": 1})
    for _ in range(16):
        move, nodes = move_and_nodes()
        assert nodes <= 3400, nodes
        board.push(move)
    engine.configure({"UCI_LimitStrength": False, "Skill Level": 5})
    assert move_and_nodes()[1] <= 3400
    engine.configure({"Skill Level": 20})
    assert move_and_nodes()[1] > 3400


def plays_chess960(engine):
    """python-chess sets UCI_Chess960 from the board; castling moves must be understood both ways."""
    for number in (0, 518, 959, 321):
        board = chess.Board.from_chess960_pos(number)
        for _ in range(30):
            if board.is_game_over():
                break
            board.push(engine.play(board, chess.engine.Limit(nodes=2000)).move)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings = Warnings()
    logging.getLogger("chess.engine").addHandler(warnings)
    failures = 0
    checks = (plays_and_ponders, analyses_with_several_lines, limits_its_strength, plays_chess960)
    for check in checks:
        warnings.texts.clear()
        with chess.engine.SimpleEngine.popen_uci(sys.argv[1]) as engine:
            try:
                check(engine)
                fault = "; ".join(warnings.texts[:3])
            except Exception as error:  # Whatever it is, it is a fault.
                fault = f"{type(error).__name__} {error}"
        failures += bool(fault)
        print(f"FAILED  {check.__name__}: {fault}" if fault else f"passed  {check.__name__}")
    print(f"{len(checks) - failures} passed, {failures} failed")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
