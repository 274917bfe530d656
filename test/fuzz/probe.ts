import { createServer } from 'node:http';
import { describeLongTurn, monitorTurns } from './turn-limit.ts';

const { PROBE_TURN_MAX_MS = '100', PROBE_START_MS = '5000', PROBE_PORT } = process.env;

// Loaded into the process of the bridge before everything else: says on stderr how long a turn of its loop took that
// took too long.
monitorTurns({ turnMaxMs: Number(PROBE_TURN_MAX_MS), startMs: Number(PROBE_START_MS) }, (ms) =>
  process.stderr.write(`${describeLongTurn(ms)}\n`),
);

// Where a port is given it also tells whoever asks how long the longest turn was since the last question.
if (PROBE_PORT !== undefined) {
  let longestMs = 0;
  monitorTurns({ turnMaxMs: 0, startMs: 0 }, (ms) => {
    longestMs = Math.max(longestMs, ms);
  });
  const server = createServer((_req, res) => {
    // Behind the timer that looks, so that the turn before is measured.
    setTimeout(() => {
      res.end(String(longestMs));
      longestMs = 0;
    }, 15);
  });
  server.listen(Number(PROBE_PORT), '127.0.0.1');
  server.unref();
}
