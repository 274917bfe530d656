import { createInterface } from 'node:readline/promises';
import type { ReadStream, WriteStream } from 'node:tty';
import type { CliWorld } from './context.ts';

/** Standard streams of a process. */
export interface Streams {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly stderr: WriteStream;
}

/** Columns of a terminal that does not say how many it has. */
const COLUMNS = 80;

/** Finds the parts of the world that only a terminal has. */
export function openTerminal({
  stdin,
  stdout,
  stderr,
}: Streams): Pick<CliWorld, 'terminal' | 'ask' | 'showProgress'> {
  const isAsked = stdin.isTTY && stderr.isTTY;
  return {
    terminal: stdout.isTTY
      ? { columns: () => stdout.columns || COLUMNS, hasColours: stdout.hasColors() }
      : undefined,
    ask: isAsked ? (question) => ask({ stdin, stderr }, question) : undefined,
    showProgress: stderr.isTTY ? (line = '') => stderr.write(`\r\u001b[K${line}`) : undefined,
  };
}

/** Asks on standard error, so that a redirected output is not mixed with questions. */
async function ask(
  { stdin, stderr }: Pick<Streams, 'stdin' | 'stderr'>,
  question: string,
): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
