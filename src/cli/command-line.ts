import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { readPackageVersion } from '../app/package-version.ts';
import { commands, runProgram } from './program.ts';

// The command line itself: only this file of the folder touches the process.

const { stdin, stdout, stderr } = process;
// An output that takes nothing any more, as on a full disk or after its terminal, ends no bridge.
for (const output of [stdout, stderr]) output.on('error', () => undefined);

/** SIGHUP of a terminal says that it is closed; elsewhere it asks a service to read its secrets again. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', ...(stdin.isTTY ? ['SIGHUP'] : [])];

process.exitCode = await runProgram(process.argv.slice(2), {
  version: readPackageVersion(),
  commands,
  world: {
    env: process.env,
    readFile: (path) => readFileSync(path, 'utf8'),
    readInput: () => text(stdin),
    write: (text) => stdout.write(text),
    writeError: (text) => stderr.write(text),
    untilStopped,
    onHangUp: (hear) => void (stdin.isTTY || process.on('SIGHUP', hear)),
    terminal: stdout.isTTY
      ? { columns: () => stdout.columns || 80, hasColours: stdout.hasColors() }
      : undefined,
    ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
    showProgress: stderr.isTTY ? (line = '') => stderr.write(`\r\u001b[K${line}`) : undefined,
  },
});

function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    const stop = (signal: string) => {
      // The next Ctrl-C ends the process at once, as is usual.
      for (const one of STOP_SIGNALS) process.off(one, stop);
      resolve(signal);
    };
    for (const one of STOP_SIGNALS) process.on(one, stop);
  });
}

/** Asks on standard error, so that a redirected output is not mixed with questions. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
