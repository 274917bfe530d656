import { monitorTurns } from './turn-limit.ts';

// Loaded into the process of the bridge before everything else: says on stderr how long a turn of its loop took that
// took too long.
monitorTurns((ms) => process.stderr.write(`fuzz-probe: a turn took ${Math.round(ms)} ms\n`));
