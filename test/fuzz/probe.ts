import { createServer } from 'node:http';
import { createLongestTurn, describeLongTurn, monitorTurns } from './turn-limit.ts';

const { PROBE_TURN_MAX_MS = '100', PROBE_PORT } = process.env;

// Loaded into the process of the bridge before everything else: says on stderr how long a turn of its loop took that
// took too long.
monitorTurns(Number(PROBE_TURN_MAX_MS), (ms) => process.stderr.write(`${describeLongTurn(ms)}\n`));

// Where a port is given it also tells whoever asks how long the longest turn was since the last question.
if (PROBE_PORT !== undefined) {
  const longest = createLongestTurn();
  const server = createServer((_req, res) => {
    res.end(String(longest.take()));
  });
  server.listen(Number(PROBE_PORT), '127.0.0.1');
  server.unref();
}
