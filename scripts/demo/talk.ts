import { request } from 'undici';
import { commands } from '../../src/cli/commands.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { OpsJson, OpsSchemaName } from '../../src/ops/schemas/schemas.ts';
import { DemoError, expectThat, type Party, type World } from './world.ts';

type Ask = (
  as: Party,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: JsonObject,
) => Promise<JsonObject>;

/** Everything that is said to the bridge, and shown. */
export interface Talk {
  readonly world: World;
  /** Tells in words what happens. */
  say(text: string): Promise<void>;
  /** Shows the lines of an answer. */
  answer(lines: readonly string[]): Promise<void>;
  /** Shows a request and the lines of its answer. */
  tell(request: string, lines: readonly string[]): Promise<void>;
  /** Sends a request, shows it with its status, and returns the body. @throws DemoError unless it is answered with 2xx */
  readonly ask: Ask;
  /** The same unseen. */
  readonly askQuietly: Ask;
  /** Reads below `/ops`, unseen. */
  read<Name extends OpsSchemaName>(name: Name, path: string): Promise<OpsJson<Name>>;
  /** Runs a command of the command line, shows it, and returns what it printed. @throws DemoError unless it ends with 0 */
  run(command: string): Promise<string[]>;
}

/** Creates a talk that is shown line by line. */
export function createTalk(
  world: World,
  show: (line: string, style?: 'cyan' | 'gray') => Promise<void>,
): Talk {
  const { url, tokens } = world;
  const answer = async (lines: readonly string[]) => {
    for (const line of lines) await show(`     ${line}`, 'gray');
  };
  const tell = async (asked: string, lines: readonly string[]) => {
    await show(`   > ${asked}`, 'cyan');
    await answer(lines);
  };
  const send = async (...[as, method, path, body]: Parameters<Ask>) => {
    const type = as === 'operator' ? 'application/json' : 'application/scim+json';
    const { statusCode: status, body: content } = await request(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${tokens[as]}`, 'content-type': type },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await content.text();
    if (status >= 300)
      throw new DemoError(`${method} ${path} was answered with ${status}: ${text}`);
    return { status, json: text === '' ? {} : JSON.parse(text) };
  };
  const askQuietly: Ask = async (...asked) => (await send(...asked)).json;
  return {
    world,
    answer,
    tell,
    askQuietly,
    say: (text) => show(`   ${text}`),
    read: async (_name, path) => (await send('operator', 'GET', `/ops${path}`)).json,
    async ask(...asked) {
      const [, method, path, body] = asked;
      // Without secrets, and parts that everybody sends alike.
      const { schemas: _, password: __, ...shown } = body ?? {};
      const { status, json } = await send(...asked);
      const { totalResults, id } = json;
      const summary = totalResults === undefined ? `id ${id}` : `totalResults ${totalResults}`;
      const sent = body === undefined ? '' : `  ${JSON.stringify(shown)}`;
      await tell(`${method} ${decodeURIComponent(path)}${sent}`, [`${status}  ${summary}`]);
      return json;
    },
    async run(command) {
      await tell(`scim-bridge ${command}`, []);
      const lines: string[] = [];
      const write = (text: string) => void lines.push(text);
      const code = await runProgram(command.split(' '), {
        version: 'demo',
        commands,
        world: {
          env: { OPS_URL: url, OPS_TOKEN: tokens.operator },
          readFile: () => '',
          readInput: async () => '',
          write,
          writeError: write,
          untilStopped: async () => '',
        },
      });
      expectThat(code === 0, `scim-bridge ${command} ends with 0, not ${code}: ${lines.join('')}`);
      return lines.join('').trimEnd().split('\n');
    },
  };
}
