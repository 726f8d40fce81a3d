//! What `help` prints.

/// What `help` prints.
pub(super) const HELP: &str = "\
Quillon speaks UCI, the protocol of chess programs; usually a program like Cute
Chess types here.

To try it, type these lines:
  position startpos moves e4 c5
  d
  go movetime 1000

Positions
  position startpos            the initial position
  position fen FEN             any other, for instance
                               position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1
  position ... moves M M ...   and moves from there: e2e4, e7e8q, castling e1g1,
                               or e4, e8=Q, O-O
  d                            show the board
  eval                         static evaluation and what each piece is worth
  flip                         exchange the colours
  ucinewgame                   forget the last game

Searching (the answer ends with a line 'bestmove')
  go depth 12                  to a depth in plies
  go movetime 5000             for 5 seconds
  go nodes 1000000             for about a million nodes
  go mate 4                    until a mate in at most 4 moves is found
  go infinite                  until you type stop
  go wtime 60000 btime 60000   as long as these clocks suggest, in milliseconds;
                               also winc MS, binc MS, movestogo N
  go ... searchmoves e2e4 d2d4 only these first moves
  go ponder ..., ponderhit     on the opponent's time; the move was played
  stop                         end the search, also a perft or bench

Options
  help options                 what each of them does
  help Hash                    what this one does
  setoption name Hash value 256
  uci                          list them for programs
  isready                      answer readyok when ready, also during a search

Other
  go perft 5, perft 5          count move sequences, by first move
  bench [DEPTH]                search fixed positions for the search signature
  bench HASH THREADS [DEPTH]   the same with so many MiB and threads
  speedtest [THREADS] [HASH] [SECONDS]
                               nodes per second over two games
  genfens 10 seed 1 book None  make balanced openings, the same for a seed
  export_net FILE              write the network in use into a file
  compiler                     what compiled this program, and for what
  debug on, debug off          accepted; nothing more is printed
  help                         this text
  quit                         leave
From a shell, 'quillon --help' lists further commands.";
