import { request } from 'undici';
import { commands } from '../../src/cli/commands.ts';
import { runProgram } from '../../src/cli/program.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts';
import { DemoError, expectThat } from './expect.ts';
import type { Screen } from './screen.ts';
import type { Party, World } from './world.ts';

/** One request, of which the path begins with a slash. */
export interface Asked {
  readonly as: Party;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: JsonObject;
}

/** Everything that is said to the bridge, and shown. */
export interface Talk {
  readonly world: World;
  readonly screen: Screen;
  /** Sends a request, shows it with its status, and gives the body. @throws DemoError unless it is answered with 2xx */
  ask(asked: Asked): Promise<JsonObject>;
  /** The same unseen. */
  askQuietly(asked: Asked): Promise<JsonObject>;
  /** Runs a command of the command line, shows it, and gives what it printed. @throws DemoError unless it ends with 0 */
  run(command: string): Promise<string[]>;
}

/** Creates a talk that is shown on this screen. */
export function createTalk(world: World, screen: Screen): Talk {
  async function askQuietly(asked: Asked): Promise<JsonObject> {
    return (await send(world, asked)).body;
  }

  return {
    world,
    screen,
    askQuietly,
    async ask(asked) {
      const { method, path } = asked;
      const sent = asked.body === undefined ? '' : `  ${JSON.stringify(toShown(asked.body))}`;
      await screen.request(`${method} ${decodeURIComponent(path)}${sent}`);
      const { status, body } = await send(world, asked);
      await screen.answer(`${status}${asked.as === 'operator' ? '' : toSummary(body)}`);
      return body;
    },
    async run(command) {
      await screen.request(`scim-bridge ${command}`);
      const lines: string[] = [];
      const code = await runCommand(world, command, (text) => void lines.push(text));
      expectThat(code === 0, `scim-bridge ${command} ends with 0, not ${code}: ${lines.join('')}`);
      return lines.join('').trimEnd().split('\n');
    },
  };
}

/** Leaves out secrets, and parts that everybody sends alike. */
function toShown({ schemas, password, ...body }: JsonObject): JsonObject {
  return body;
}

/** Picks the parts of an answer that tell how it went on. */
function toSummary({ totalResults, id }: JsonObject): string {
  if (totalResults !== undefined) return `  totalResults ${String(totalResults)}`;
  return id === undefined ? '' : `  id ${String(id)}`;
}

async function send(
  { url, tokens }: World,
  { as, method, path, body }: Asked,
): Promise<{ status: number; body: JsonObject }> {
  const type = as === 'operator' ? 'application/json' : 'application/scim+json';
  const answer = await request(new URL(path, url), {
    method,
    headers: { authorization: `Bearer ${tokens[as]}`, 'content-type': type },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const { statusCode: status } = answer;
  const text = await answer.body.text();
  if (status >= 300) throw new DemoError(`${method} ${path} was answered with ${status}: ${text}`);
  return { status, body: text === '' ? {} : parseObject(text) };
}

function parseObject(text: string): JsonObject {
  const value: JsonValue = JSON.parse(text);
  if (!isJsonObject(value)) throw new DemoError(`an object was expected: ${text}`);
  return value;
}

function runCommand(
  { url, tokens }: World,
  command: string,
  write: (text: string) => void,
): Promise<number> {
  return runProgram(command.split(' '), {
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
}
