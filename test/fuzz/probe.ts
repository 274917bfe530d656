import { describeLongTurn, monitorTurns } from './turn-limit.ts';

const { PROBE_TURN_MAX_MS = '100', PROBE_START_MS = '5000' } = process.env;

// Loaded into the process of the bridge before everything else: says on stderr how long a turn of its loop took that
// took too long.
monitorTurns({ turnMaxMs: Number(PROBE_TURN_MAX_MS), startMs: Number(PROBE_START_MS) }, (ms) =>
  process.stderr.write(`${describeLongTurn(ms)}\n`),
);
