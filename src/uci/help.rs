//! What `help` says.

pub(super) const HELP: &str = "\
Quillon speaks UCI, the protocol of chess programs; usually a program like Cute Chess types here.
  uci                          identify and list options
  isready                      answer readyok, also during a search
  setoption name N value V     change an option, e.g. setoption name Hash value 256
  ucinewgame                   forget the last game
  position startpos moves e2e4 e7e5
  position fen FEN moves ...   set up a position
  go depth 12                  search to a depth; others: nodes N, movetime MS, mate N, infinite,
                               wtime MS btime MS winc MS binc MS movestogo N, searchmoves M..., ponder
  go perft 5, perft 5          count move sequences, by first move
  stop, ponderhit              end a search; the expected move was played
  d                            show the board
  eval                         static evaluation
  bench [DEPTH]                search fixed positions; the node count identifies the search
  debug on, debug off          accepted; nothing more is printed
  quit, exit                   leave
From a shell, 'quillon --help' lists further commands.";
