import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts';
import type { Answer, Client, SentRequest } from './client.ts';
import type { Group, Person } from './company.ts';
import { attempts, deliver } from './deliver.ts';
import type { Wish } from './fact.ts';
import type { Trace } from './trace.ts';

/** How long after one another one looks again where two were found, in milliseconds. */
const DOUBLE_MS = 25;

/** One request, and what it asks for. */
export interface AskedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the SCIM base URL. */
  readonly path: string;
  readonly body?: JsonValue;
  readonly wishes: readonly Wish[];
  /** Sends the version that the provider has read just before. */
  readonly needsVersion?: boolean;
  /** What beside 2xx says that it is so: of one that is sent again, or of one that may not succeed. */
  readonly alsoFine?: number;
}

/** How a provider finds what it creates. */
interface Created {
  readonly filter: string;
  /** Whether it was there before anybody asked for it. */
  readonly wasThere: boolean;
}

/** Carries out one operation in the manner that was drawn for it. */
export interface Actor {
  /** What nobody expected. */
  readonly findings: string[];
  /** The SCIM id of somebody, looked up where it is not known. */
  getId(person: Person): Promise<string>;
  getGroupId(group: Group): string;
  /** Sends requests at the same time. */
  ask(requests: readonly AskedRequest[]): Promise<void>;
  askInBulk(requests: readonly AskedRequest[]): Promise<void>;
  /** Creates as a provider does: if nobody answers it looks before it asks again. @returns the SCIM id */
  create(asked: AskedRequest, created: Created): Promise<string>;
  /** Sends until somebody answers. */
  insist(sent: SentRequest): Promise<Answer>;
}

/** One thing that a provider does. */
export interface Operation {
  /** What it is called in a trace. */
  readonly text: string;
  perform(actor: Actor): Promise<void>;
}

/** How a provider takes it if nobody answers. */
export interface Manner {
  /** Sends the same again; otherwise goes on with something else. What creates or deletes is always sent again. */
  readonly repeats: boolean;
  /** Hangs up so many milliseconds after it was sent, once. */
  readonly hangsUpAfterMs: number | undefined;
}

/** One operation of a schedule. */
export interface ScheduledOperation {
  readonly actor: number;
  readonly operation: Operation;
  readonly manner: Manner;
}

/** Does what a schedule says. */
export type Perform = (scheduled: ScheduledOperation) => Promise<void>;

/** The actors of one provider. */
export function createActors(client: Client, trace: Trace): Perform {
  const { findings } = client.counts;
  return async ({ actor, operation, manner }) => {
    const { text } = operation;
    trace.note('operation', { actor, operation: text, ...manner });
    await operation.perform(createActor(client, manner)).catch((error: unknown) => {
      findings.push(`${text}: ${error instanceof Error ? error.message : error}`);
    });
  };
}

function createActor(client: Client, { repeats, hangsUpAfterMs }: Manner): Actor {
  const { findings } = client.counts;

  async function insist(sent: SentRequest): Promise<Answer> {
    const { answer } = await deliver(client, sent, { wishes: [], isRepeated: true });
    if (answer === undefined) throw new Error(`nobody answers ${sent.method} ${sent.path}`);
    return answer;
  }

  /**
   * While an account is being made, a list may have shown it by itself: then there are two for a moment, and whoever
   * asks waits for the one that stays.
   */
  async function find(type: string, filter: string): Promise<string | undefined> {
    const path = `${type}?${new URLSearchParams({ filter })}`;
    for (const _ of attempts()) {
      const { status, body } = await insist({ method: 'GET', path });
      if (status !== 200) findings.push(`GET ${path}: ${status} ${JSON.stringify(body)}`);
      const [first, ...others] = listObjects(body.Resources);
      if (others.length === 0) return first === undefined ? undefined : String(first.id);
      await sleep(DOUBLE_MS);
    }
    throw new Error(`${filter} goes on finding more than one`);
  }

  async function getId(person: Person): Promise<string> {
    const filter = `userName eq "${person.address}"`;
    for (const _ of attempts()) {
      person.id ??= await find('/Users', filter);
      if (person.id !== undefined) return person.id;
    }
    throw new Error(`${filter} finds nobody`);
  }

  /** Sends a request with its wishes. */
  async function askOne(asked: AskedRequest): Promise<void> {
    const { wishes, needsVersion, alsoFine, ...sent } = asked;
    const version = needsVersion
      ? (await insist({ method: 'GET', path: sent.path })).etag
      : undefined;
    const headers = version === undefined ? {} : { headers: { 'if-match': version } };
    for (const wish of wishes) wish.ask();
    // What is gone has to be gone before its name comes again; and a version fits once.
    const isRepeated = sent.method === 'DELETE' || (repeats && version === undefined);
    const delivery = { wishes, isRepeated, hangsUpAfterMs };
    const { answer, isFirst } = await deliver(client, { ...sent, ...headers }, delivery);
    if (answer === undefined) return;
    const isExpected = answer.status === (version === undefined ? alsoFine : 412);
    if (answer.status >= 300 && !isExpected) findings.push(toRefusal(asked, answer));
    conclude(wishes, answer.status, { isFirst, alsoFine });
  }

  async function askInBulk(asked: readonly AskedRequest[]): Promise<void> {
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: asked.map(({ method, path, body: data = null }) => ({ method, path, data })),
    };
    const wishes = asked.flatMap((one) => one.wishes);
    for (const wish of wishes) wish.ask();
    const sent = { method: 'POST', path: '/Bulk', body } as const;
    const delivery = { wishes, isRepeated: repeats, hangsUpAfterMs };
    const { answer, isFirst } = await deliver(client, sent, delivery);
    if (answer === undefined) return;
    const results = listObjects(answer.body.Operations);
    for (const [n, one] of asked.entries()) {
      const status = Number(results[n]?.status);
      // Of the others of the same request it is known all the same.
      if (status === 503) continue;
      if (!(status < 300)) findings.push(toRefusal(one, { ...answer, body: results[n] ?? {} }));
      conclude(one.wishes, status, { isFirst });
    }
  }

  async function create(asked: AskedRequest, created: Created): Promise<string> {
    const { wishes, ...sent } = asked;
    for (const wish of wishes) wish.ask();
    for (const attempt of attempts()) {
      const delivery = attempt === 1 ? { wishes, hangsUpAfterMs } : { wishes };
      const { answer } = await deliver(client, sent, { ...delivery, isRepeated: false });
      assertCreated(asked, answer, attempt);
      const id = await findCreated(sent.path, answer, created);
      if (id === undefined) continue;
      for (const wish of wishes) wish.acknowledge();
      return id;
    }
    throw new Error(`nobody answers ${sent.method} ${sent.path}`);
  }

  async function findCreated(
    type: string,
    answer: Answer | undefined,
    { filter, wasThere }: Created,
  ): Promise<string | undefined> {
    if (answer?.status === 201) return String(answer.body.id);
    // Who was there before is found whether anybody took them over or not.
    return answer === undefined && wasThere ? undefined : find(type, filter);
  }

  return {
    findings,
    getId,
    getGroupId(group) {
      if (group.id === undefined) throw new Error(`nobody founded group ${group.n}`);
      return group.id;
    },
    ask: async (asked) => void (await Promise.all(asked.map(askOne))),
    askInBulk,
    create,
    insist,
  };
}

/** A name that is taken is what a request before may have led to. @throws Error for any other refusal */
function assertCreated(asked: AskedRequest, answer: Answer | undefined, attempt: number): void {
  if (answer === undefined || answer.status === 201) return;
  if (answer.status !== 409 || attempt === 1) throw new Error(toRefusal(asked, answer));
}

/** What an answer makes certain. What was refused after something that nobody answered may have been done then. */
function conclude(
  wishes: readonly Wish[],
  status: number,
  { isFirst, alsoFine }: { readonly isFirst: boolean; readonly alsoFine?: number | undefined },
): void {
  const isDone = status < 300 || status === alsoFine;
  for (const wish of wishes) {
    if (isDone) wish.acknowledge();
    else if (isFirst) wish.takeBack();
  }
}

function toRefusal({ method, path }: AskedRequest, { status, body }: Answer): string {
  return `${method} ${path} was refused: ${status} ${JSON.stringify(body)}`;
}

function listObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
