import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import { isJsonObject } from '../../src/domain/values.ts';
import { opsRoutes } from '../../src/ops/router.ts';
import { opsSchemas } from '../../src/ops/schemas/schemas.ts';
import type { SendRequest, TestAnswer } from './provider.ts';

/** What operators present to a test bridge. */
export const OPS_TOKEN = 'ops-token-of-a-test-bridge';
const PATIENT = { interval: 25, timeout: 60_000 };
const SILENT_MAX_MS = 60_000;

/** Users and groups that wait, those of them that are stuck, and those that are worked on. */
export interface Work {
  readonly due: number;
  readonly stuck: number;
  readonly running: number;
}

/** What operators do. */
export type Operator = ReturnType<typeof toOperator>;

interface Operated {
  readonly request: SendRequest;
  readonly baseUrl: string;
  readonly opsToken: string;
  countDue?(): Promise<Omit<Work, 'running'>>;
  /** How many users and groups are worked on; undefined: another process leads. */
  countRuns?(): number | undefined;
}

/** An operator of this bridge. */
export function toOperator({ request, baseUrl, opsToken, countDue, countRuns }: Operated) {
  function ask(method: string, path: string, body?: JsonValue): Promise<TestAnswer> {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { authorization: `Bearer ${opsToken}`, ...type };
    return request(method, new URL(path, baseUrl).href, body, headers);
  }

  async function ops(method: 'GET' | 'POST', path: string, body?: JsonValue): Promise<TestAnswer> {
    const answer = await ask(method, `/ops${path}`, body);
    assertDescribed(method, path, answer);
    return answer;
  }

  async function readWork(): Promise<Work | undefined> {
    // A hundredth of the work of an answer of the bridge.
    if (countDue !== undefined && countRuns?.() !== undefined)
      return { ...(await countDue()), running: countRuns() ?? 0 };
    const { status, body } = await ask('GET', '/ops/status');
    if (status !== 200) return undefined;
    const { due, stuckCount, activity } = body;
    return { due: Number(due), stuck: Number(stuckCount), running: Object(activity).running };
  }

  async function untilSettled(stuck: 'none' | 'may stay' = 'none'): Promise<void> {
    const isQuiet = (work: Work | undefined) =>
      work?.running === 0 && work.due === (stuck === 'none' ? 0 : work.stuck);
    const expectProgress = createPatience();
    for (;;) {
      const work = await readWork();
      // Looked at twice, because what ends between the two counts of one answer may leave something due.
      if (isQuiet(work) && isQuiet(await readWork())) return;
      expectProgress(JSON.stringify(work));
      await sleep(countDue === undefined ? 25 : 5);
    }
  }

  const untilSwept = (id: string): Promise<JsonObject> =>
    vi.waitFor(async () => {
      const { body } = await ops('GET', `/sweeps/${id}`);
      if (body.status === 'running') throw new Error('the sweep is running');
      return body;
    }, PATIENT);

  const listOps = async (path: string) => toObjects((await ops('GET', path)).body.items);
  const readReadiness = () => ask('GET', '/readyz');
  const readReasons = async () => toObjects((await readReadiness()).body.reasons);

  return {
    ops,
    listOps,
    readReasons,
    listReasons: async () => (await readReasons()).map(({ code }) => code),
    readReadiness,
    readWork,
    listStuck: async () => toObjects((await ask('GET', '/ops/status')).body.stuck),
    /** Waits until nothing is due and nothing runs. @throws Error when nothing goes on @param stuck whether refused ones may stay */
    untilSettled,
    async settled<T>(write: Promise<T>): Promise<T> {
      const written = await write;
      await untilSettled();
      return written;
    },
    async sweep(options: { readonly dryRun?: boolean } = {}): Promise<JsonObject> {
      await untilSettled();
      return untilSwept(String((await ops('POST', '/sweeps', { ...options })).body.id));
    },
    untilSwept,
    listDrifts: async (status = 'open') =>
      (await listOps(`/drifts?status=${status}`)).map(toText).toSorted(),
  };
}

/** The objects of a list in an answer. */
export function toObjects(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function toText({ kind, resource, member }: JsonObject): string {
  const who = member === null ? '' : ` of ${Object(member).name}`;
  return `${kind} ${Object(resource).name}${who}`;
}

/** Throws when it is told the same for a minute: a busy machine is slow, not wrong. */
export function createPatience(): (left: string) => void {
  let before = '';
  let deadline = Date.now() + SILENT_MAX_MS;
  return (left) => {
    if (left !== before) deadline = Date.now() + SILENT_MAX_MS;
    else if (Date.now() > deadline) throw new Error(`nothing goes on, and left is ${left}`);
    before = left;
  };
}

function getOpsRoute(method: string, path: string): (typeof opsRoutes)[number] {
  const [asked = ''] = path.split('?');
  const fitting = opsRoutes.filter(
    (route) => route.method === method.toLowerCase() && toPattern(route).test(asked),
  );
  // As the bridge does it: what is written out goes before what has a parameter.
  const [route] = fitting.toSorted((a, b) => countBraces(a) - countBraces(b));
  if (route === undefined) throw new Error(`nothing describes ${method} /ops${asked}`);
  return route;
}

/** Compares an answer with its description. @throws Error when it is another */
export function assertDescribed(
  method: string,
  path: string,
  { status, body }: { readonly status: number; readonly body: unknown },
): void {
  const name = getOpsRoute(method, path).answers[status] ?? (status < 400 ? undefined : 'Problem');
  if (name === undefined)
    throw new Error(`nothing says that ${method} /ops${path} may be answered with ${status}`);
  const { error } = opsSchemas[name].safeParse(body);
  if (error) throw new Error(`${method} /ops${path} (${status}) is no ${name}: ${error.message}`);
}

function toPattern({ path }: (typeof opsRoutes)[number]): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

function countBraces({ path }: (typeof opsRoutes)[number]): number {
  return path.split('{').length;
}
