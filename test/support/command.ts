import { readFileSync } from 'node:fs';
import type { CommandRow } from '../../src/cli/command.ts';
import { defaultConfigFile } from '../../src/cli/command.ts';
import { commands, runProgram } from '../../src/cli/program.ts';
import type { TestBridge } from './bridge.ts';
import { OPS_TOKEN } from './operator.ts';

interface Ended {
  readonly code: number;
  readonly text: string;
  readonly out: string;
  readonly err: string;
  readonly asked: readonly string[];
}

/** Runs commands that ask this bridge: `runner(bridge)('plan', 'show')`. */
export function runner(
  bridge: Pick<TestBridge, 'baseUrl'>,
  person: Person = {},
): (...args: string[]) => Promise<Ended> {
  const env = { OPS_TOKEN, OPS_URL: new URL('/', bridge.baseUrl).href, ...person.env };
  return (...args) => runAlone(args, env, person);
}

/** Runs a command as a process with these variables does. */
export async function runAlone(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  person: Person = {},
): Promise<Ended> {
  const { columns, hasColours = true, answer, showProgress, untilStopped } = person;
  const { files = {}, input = '' } = person;
  const [both, out, err, asked]: [string[], string[], string[], string[]] = [[], [], [], []];
  const writeTo = (output: string[]) => (text: string) => {
    both.push(text);
    output.push(text);
  };
  const code = await runProgram(args, {
    version: '1.2.3',
    commands: person.commands ?? commands,
    world: {
      env,
      // All that the file of the defaults sets is a default, and reading it takes longer than most commands.
      readFile: (path) =>
        files[path] ?? (path === defaultConfigFile ? '' : readFileSync(path, 'utf8')),
      readInput: async () => input,
      write: writeTo(out),
      writeError: writeTo(err),
      untilStopped: untilStopped ?? (async () => 'SIGTERM'),
      terminal: columns === undefined ? undefined : { columns: () => columns, hasColours },
      showProgress,
      ...(answer !== undefined && {
        ask: async (question: string) => {
          asked.push(question);
          return answer;
        },
      }),
    },
  });
  return { code, text: both.join(''), out: out.join(''), err: err.join(''), asked };
}

/** Facts about a person at a terminal. */
export interface Person {
  readonly columns?: number;
  /** False: the person wants no colours. */
  readonly hasColours?: boolean;
  /** Answers every question; undefined: nobody is there. */
  readonly answer?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly commands?: readonly CommandRow[];
  readonly untilStopped?: () => Promise<string>;
  readonly showProgress?: (line: string | undefined) => void;
}
