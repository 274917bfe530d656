import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import { toObjects } from '../support/operator.ts';
import type { Address } from '../support/send-raw.ts';
import { sendRaw } from '../support/send-raw.ts';
import type { Person, Wish } from './company.ts';
import type { Trace } from './lives.ts';

const BUSY_MS = 20;
const ANSWER_MAX_MS = 30_000;
const DOUBLE_MS = 25;
/** Faults end after some calls, and while the service fails it is called once a minute. */
const PATIENCE_MS = 600_000;

/** The attempts at something, counted from 1, for as long as patience lasts: a fast machine makes more of them. */
export function* attempts(): Generator<number> {
  const until = performance.now() + PATIENCE_MS;
  for (let attempt = 1; performance.now() < until; attempt += 1) yield attempt;
}

interface SentRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request, and what it asks for. */
export interface AskedRequest extends SentRequest {
  readonly wishes: readonly Wish[];
  /** Sends the version that the provider has read just before. */
  readonly needsVersion?: boolean;
  readonly alsoFine?: number;
}

/** An answer of a bridge that was open for requests. */
export interface Answer {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: JsonObject;
}

/** How a provider takes it if nobody answers. */
export interface Manner {
  /** Sends the same again; otherwise goes on with something else. What creates or deletes is always sent again. */
  readonly repeats: boolean;
  /** Hangs up so many milliseconds after it was sent, once. */
  readonly hangsUpAfterMs: number | undefined;
}

/** What was sent and what became of it. */
export interface Counts {
  sent: number;
  acknowledged: number;
  unanswered: number;
  readonly findings: string[];
}

/** A provider that goes on whatever becomes of the bridge. */
export class Client {
  readonly counts: Counts = { sent: 0, acknowledged: 0, unanswered: 0, findings: [] };
  readonly #pick: () => Promise<Address>;
  readonly #trace: Trace;

  /** @param pick one of the processes that live */
  constructor(pick: () => Promise<Address>, trace: Trace) {
    this.#pick = pick;
    this.#trace = trace;
  }

  /** Undefined: nobody answered, or with "not now", so it may have happened or not. */
  async send(sent: SentRequest, hangsUpAfterMs?: number): Promise<Answer | undefined> {
    const { counts } = this;
    const bridge = await this.#pick();
    counts.sent += 1;
    const [n, { method, path, body }] = [counts.sent, sent];
    this.#trace.note('request', { n, to: bridge.baseUrl, method, path, body });
    const answer = await ask(bridge, sent, hangsUpAfterMs).catch((error: unknown) => {
      this.#trace.note('no answer', { n, why: String(error) });
      const isLate = error instanceof Error && error.name === 'TimeoutError';
      if (isLate && hangsUpAfterMs === undefined)
        counts.findings.push(`${method} ${path} was not answered within ${ANSWER_MAX_MS} ms`);
      return undefined;
    });
    if (answer !== undefined) this.#trace.note('answer', { n, ...answer });
    if (answer === undefined || answer.status >= 500 || answer.status === 429) {
      counts.unanswered += 1;
      await sleep(BUSY_MS);
      if (answer?.status === 500) counts.findings.push(toRefusal(sent, answer));
      return undefined;
    }
    if (answer.status < 300) counts.acknowledged += 1;
    return answer;
  }

  async insist(sent: SentRequest): Promise<Answer> {
    for (const _ of attempts()) {
      const answer = await this.send(sent);
      if (answer !== undefined) return answer;
    }
    throw new Error(`nobody answers ${sent.method} ${sent.path}`);
  }

  async list(path: string): Promise<JsonObject[]> {
    const { body } = await this.insist({ method: 'GET', path: `${path}?count=1000` });
    const resources = toObjects(body.Resources);
    if (body.totalResults === resources.length) return resources;
    throw new Error(`${path}: ${body.totalResults} are not shown`);
  }

  actor({ repeats, hangsUpAfterMs }: Manner): Actor {
    return new Actor(this, repeats, hangsUpAfterMs);
  }
}

async function ask(bridge: Address, sent: SentRequest, timeoutMs = ANSWER_MAX_MS): Promise<Answer> {
  const { body, ...others } = sent;
  const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
  const raw = body === undefined ? others : { ...others, body: JSON.stringify(body) };
  const { status, headers, body: answered } = await sendRaw(bridge, { ...raw, signal });
  const { etag } = headers;
  return { status, etag: typeof etag === 'string' ? etag : undefined, body: answered };
}

/** One of those who write for a provider. */
export class Actor {
  readonly #client: Client;
  readonly #repeats: boolean;
  readonly #hangsUpAfterMs: number | undefined;

  constructor(client: Client, repeats: boolean, hangsUpAfterMs: number | undefined) {
    this.#client = client;
    this.#repeats = repeats;
    this.#hangsUpAfterMs = hangsUpAfterMs;
  }

  report(finding: string): void {
    this.#client.counts.findings.push(finding);
  }

  insist(sent: SentRequest): Promise<Answer> {
    return this.#client.insist(sent);
  }

  async getId(person: Person): Promise<string> {
    const filter = `userName eq "${person.address}"`;
    for (const _ of attempts()) {
      person.id ??= await this.#find('/Users', filter);
      if (person.id !== undefined) return person.id;
    }
    throw new Error(`${filter} finds nobody`);
  }

  async ask(...requests: readonly AskedRequest[]): Promise<void> {
    await Promise.all(requests.map((asked) => this.#askOne(asked)));
  }

  async askInBulk(asked: readonly AskedRequest[]): Promise<void> {
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: asked.map(({ method, path, body: data = null }) => ({ method, path, data })),
    };
    const wishes = asked.flatMap((one) => one.wishes);
    const sent = { method: 'POST', path: '/Bulk', body, wishes } as const;
    const { answer, isFirst } = await this.#deliver(sent, this.#repeats);
    if (answer === undefined) return;
    const results = toObjects(answer.body.Operations);
    for (const [n, one] of asked.entries()) {
      const status = Number(results[n]?.status);
      // Of the others of the same request it is known all the same.
      if (status === 503) continue;
      if (!(status < 300)) this.report(toRefusal(one, { ...answer, body: results[n] ?? {} }));
      conclude(one.wishes, status < 300, isFirst);
    }
  }

  /** Creates as a provider does: without an answer it looks before it asks again. @returns the SCIM id */
  async create(asked: AskedRequest, filter: string, wasThere: boolean): Promise<string> {
    for (const attempt of attempts()) {
      const { answer } = await this.#deliver(asked, false, attempt === 1);
      // A name that is taken is what a request before may have led to.
      const isExpected = answer?.status === 201 || (answer?.status === 409 && attempt > 1);
      if (answer !== undefined && !isExpected) throw new Error(toRefusal(asked, answer));
      // Who was there before is found whether anybody took them over or not.
      if (answer === undefined && wasThere) continue;
      const isNew = answer?.status === 201;
      const id = isNew ? String(answer.body.id) : await this.#find(asked.path, filter);
      if (id === undefined) continue;
      for (const wish of asked.wishes) wish.acknowledge();
      return id;
    }
    throw new Error(`nobody answers ${asked.method} ${asked.path}`);
  }

  async #askOne(asked: AskedRequest): Promise<void> {
    const { path, wishes, needsVersion, alsoFine } = asked;
    const version = needsVersion ? (await this.insist({ method: 'GET', path })).etag : undefined;
    const sent = version === undefined ? asked : { ...asked, headers: { 'if-match': version } };
    // What is gone has to be gone before its name comes again; and a version fits once.
    const isRepeated = asked.method === 'DELETE' || (this.#repeats && version === undefined);
    const { answer, isFirst } = await this.#deliver(sent, isRepeated);
    if (answer === undefined) return;
    const isExpected = answer.status === (version === undefined ? alsoFine : 412);
    if (answer.status >= 300 && !isExpected) this.report(toRefusal(asked, answer));
    conclude(wishes, answer.status < 300 || answer.status === alsoFine, isFirst);
  }

  /** Sends, and again when nobody answers and that is meant: `isFirst` is false of what may have been done before. */
  async #deliver({ wishes, ...sent }: AskedRequest, isRepeated: boolean, mayHangUp = true) {
    const hangsUpAfterMs = mayHangUp ? this.#hangsUpAfterMs : undefined;
    if (mayHangUp) for (const wish of wishes) wish.ask();
    const first = await this.#client.send(sent, hangsUpAfterMs);
    if (first === undefined && hangsUpAfterMs !== undefined)
      for (const wish of wishes) wish.hangUp();
    if (first !== undefined || !isRepeated) return { answer: first, isFirst: true };
    return { answer: await this.insist(sent), isFirst: false };
  }

  /** While an account is being made, a list may have shown it by itself: then there are two for a moment. */
  async #find(type: string, filter: string): Promise<string | undefined> {
    const path = `${type}?${new URLSearchParams({ filter })}`;
    for (const _ of attempts()) {
      const answer = await this.insist({ method: 'GET', path });
      if (answer.status !== 200) this.report(toRefusal({ method: 'GET', path }, answer));
      const [first, ...others] = toObjects(answer.body.Resources);
      if (others.length === 0) return first === undefined ? undefined : String(first.id);
      await sleep(DOUBLE_MS);
    }
    throw new Error(`${filter} goes on finding more than one`);
  }
}

/** What an answer makes certain. What was refused after something that nobody answered may have been done then. */
function conclude(wishes: readonly Wish[], isDone: boolean, isFirst: boolean): void {
  for (const wish of wishes) {
    if (isDone) wish.acknowledge();
    else if (isFirst) wish.takeBack();
  }
}

function toRefusal({ method, path }: SentRequest, { status, body }: Answer): string {
  return `${method} ${path} was refused: ${status} ${JSON.stringify(body)}`;
}
