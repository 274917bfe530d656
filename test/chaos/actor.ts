import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../src/domain/json.ts';
import type { Answer, Client, SentRequest } from './client.ts';
import type { Company, Person } from './company.ts';
import { attempts, deliver } from './deliver.ts';
import type { Wish } from './fact.ts';
import { type Manner, type Operation, type ScheduledOperation, toText } from './operation.ts';
import {
  type AskedRequest,
  type RequestDeps,
  toFounding,
  toHire,
  toRequests,
} from './to-requests.ts';
import type { Trace } from './trace.ts';

/** How long after one another one looks again where two were found, in milliseconds. */
const DOUBLE_MS = 25;

/** Does what a schedule says. */
export interface Actors {
  perform(scheduled: ScheduledOperation): Promise<void>;
}

/** What actors need. */
interface ActorDeps {
  readonly client: Client;
  readonly company: Company;
  readonly trace: Trace;
}

/** The actors of one provider. */
export function createActors({ client, company, trace }: ActorDeps): Actors {
  const { findings } = client.counts;
  const deps: RequestDeps = {
    company,
    getId: async (person) => {
      person.id ??= await insistOnFinding('Users', `userName eq "${person.address}"`);
      return person.id;
    },
    getGroupId: async (group) => {
      if (group.id === undefined) throw new Error(`nobody founded group ${group.n}`);
      return group.id;
    },
  };

  /** Sends until somebody answers. */
  async function insist(sent: SentRequest): Promise<Answer> {
    const { answer } = await deliver(client, sent, { wishes: [], isRepeated: true });
    if (answer === undefined) throw new Error(`nobody answers ${sent.method} ${sent.path}`);
    return answer;
  }

  /**
   * While an account is being made, a list may have shown it by itself: then there are two for a moment, and whoever
   * asks waits for the one that stays.
   */
  async function find(type: 'Users' | 'Groups', filter: string): Promise<string | undefined> {
    const path = `/${type}?${new URLSearchParams({ filter })}`;
    for (const _ of attempts()) {
      const { status, body } = await insist({ method: 'GET', path });
      if (status !== 200) findings.push(`GET ${path}: ${status} ${JSON.stringify(body)}`);
      const [first, ...others] = listObjects(body.Resources);
      if (others.length === 0) return first === undefined ? undefined : String(first.id);
      await sleep(DOUBLE_MS);
    }
    throw new Error(`${filter} goes on finding more than one`);
  }

  async function insistOnFinding(type: 'Users' | 'Groups', filter: string): Promise<string> {
    for (const _ of attempts()) {
      const id = await find(type, filter);
      if (id !== undefined) return id;
    }
    throw new Error(`${filter} finds nobody`);
  }

  /** Sends a request with its wishes. */
  async function ask(asked: AskedRequest, manner: Manner): Promise<void> {
    const { wishes, needsVersion, alsoFine, ...sent } = asked;
    const version = needsVersion
      ? (await insist({ method: 'GET', path: sent.path })).etag
      : undefined;
    const headers = version === undefined ? {} : { headers: { 'if-match': version } };
    for (const wish of wishes) wish.ask();
    // What is gone has to be gone before its name comes again; and a version fits once.
    const isRepeated = sent.method === 'DELETE' || (manner.repeats && version === undefined);
    const delivery = { wishes, isRepeated, hangsUpAfterMs: manner.hangsUpAfterMs };
    const { answer, isFirst } = await deliver(client, { ...sent, ...headers }, delivery);
    if (answer === undefined) return;
    const isExpected = answer.status === (version === undefined ? alsoFine : 412);
    if (answer.status >= 300 && !isExpected) findings.push(toRefusal(asked, answer));
    conclude(wishes, answer, { isFirst, alsoFine });
  }

  /**
   * Creates something as a provider does: when nobody answers it looks before it asks again.
   * @returns the SCIM id
   */
  async function create(asked: AskedRequest, manner: Manner, created: Created): Promise<string> {
    const { wishes, ...sent } = asked;
    for (const wish of wishes) wish.ask();
    for (const attempt of attempts()) {
      const hangsUpAfterMs = attempt === 1 ? manner.hangsUpAfterMs : undefined;
      const { answer } = await deliver(client, sent, { wishes, isRepeated: false, hangsUpAfterMs });
      assertCreated(asked, answer, attempt);
      const id = await findCreated(answer, created);
      if (id === undefined) continue;
      for (const wish of wishes) wish.acknowledge();
      return id;
    }
    throw new Error(`nobody answers ${sent.method} ${sent.path}`);
  }

  async function findCreated(
    answer: Answer | undefined,
    { type, filter, wasThere }: Created,
  ): Promise<string | undefined> {
    if (answer?.status === 201) return String(answer.body.id);
    // Who was there before is found whether anybody took them over or not.
    return answer === undefined && wasThere ? undefined : find(type, filter);
  }

  async function hire(
    operation: Extract<Operation, { kind: 'hire' }>,
    manner: Manner,
  ): Promise<void> {
    const { person } = operation;
    const filter = `userName eq "${person.address}"`;
    const wasThere = person.origin === 'found' && !person.isThere.isAsked;
    person.id = await create(toHire(operation), manner, { type: 'Users', filter, wasThere });
  }

  async function found(
    operation: Extract<Operation, { kind: 'found group' }>,
    manner: Manner,
  ): Promise<void> {
    const { group, name } = operation;
    group.names.add(name);
    const filter = `displayName eq "${name}"`;
    const wasThere = group.origin === 'found';
    const asked = await toFounding(deps, operation);
    group.id = await create(asked, manner, { type: 'Groups', filter, wasThere });
  }

  async function hireTwice({ address }: Person): Promise<void> {
    const body = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: address };
    const { status } = await insist({ method: 'POST', path: '/Users', body });
    if (status !== 409)
      findings.push(`${address} is there, and another POST was answered ${status}`);
  }

  async function read(person: Person): Promise<void> {
    const path = `/Users/${await deps.getId(person)}`;
    const { status, etag = '', body } = await insist({ method: 'GET', path });
    if (status === 200) findings.push(...listReadFindings(person, body));
    else findings.push(`GET ${path}: ${status}`);
    const again = await insist({ method: 'GET', path, headers: { 'if-none-match': etag } });
    if (again.status === 304 || again.etag !== etag) return;
    findings.push(`GET ${path} with its version: ${again.status}`);
  }

  async function bulk(operations: readonly Operation[], manner: Manner): Promise<void> {
    const asked = (await Promise.all(operations.map((one) => toRequests(deps, one)))).flat();
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: asked.map(({ method, path, body: data = null }) => ({ method, path, data })),
    };
    const wishes = asked.flatMap((one) => one.wishes);
    for (const wish of wishes) wish.ask();
    const { repeats: isRepeated, hangsUpAfterMs } = manner;
    const sent = { method: 'POST', path: '/Bulk', body } as const;
    const { answer, isFirst } = await deliver(client, sent, { wishes, isRepeated, hangsUpAfterMs });
    if (answer !== undefined) concludeBulk(asked, answer, isFirst);
  }

  function concludeBulk(asked: readonly AskedRequest[], answer: Answer, isFirst: boolean): void {
    const results = listObjects(answer.body.Operations);
    asked.forEach((one, n) => {
      const status = Number(results[n]?.status);
      // Of the others of the same request it is known all the same.
      if (status === 503) return;
      if (!(status < 300)) findings.push(toRefusal(one, { ...answer, body: results[n] ?? {} }));
      conclude(one.wishes, { ...answer, status }, { isFirst });
    });
  }

  async function perform({ operation, manner }: ScheduledOperation): Promise<void> {
    switch (operation.kind) {
      case 'hire':
        return hire(operation, manner);
      case 'found group':
        return found(operation, manner);
      case 'hire twice':
        return hireTwice(operation.person);
      case 'read':
        return read(operation.person);
      case 'bulk':
        return bulk(operation.operations, manner);
      default: {
        if (operation.kind === 'rename group') operation.group.names.add(operation.name);
        const asked = await toRequests(deps, operation);
        await Promise.all(asked.map((one) => ask(one, manner)));
      }
    }
  }

  return {
    async perform(scheduled) {
      trace.note('operation', {
        actor: scheduled.actor,
        operation: toText(scheduled.operation),
        ...scheduled.manner,
      });
      await perform(scheduled).catch((error: unknown) => {
        findings.push(
          `${toText(scheduled.operation)}: ${error instanceof Error ? error.message : error}`,
        );
      });
    },
  };
}

interface Created {
  readonly type: 'Users' | 'Groups';
  readonly filter: string;
  /** Whether it was there before anybody asked for it. */
  readonly wasThere: boolean;
}

/** A name that is taken is what a request before may have led to. @throws Error for any other refusal */
function assertCreated(asked: AskedRequest, answer: Answer | undefined, attempt: number): void {
  if (answer === undefined || answer.status === 201) return;
  if (answer.status !== 409 || attempt === 1) throw new Error(toRefusal(asked, answer));
}

/** What an answer makes certain. What was refused after something that nobody answered may have been done then. */
function conclude(
  wishes: readonly Wish[],
  { status }: Answer,
  { isFirst, alsoFine }: { readonly isFirst: boolean; readonly alsoFine?: number | undefined },
): void {
  const isDone = status < 300 || status === alsoFine;
  for (const wish of wishes) {
    if (isDone) wish.acknowledge();
    else if (isFirst) wish.takeBack();
  }
}

/** What of an answer cannot be, so soon after what was answered before. */
function listReadFindings(person: Person, { active, title, name }: JsonObject): string[] {
  const fullName = isJsonObject(name) ? `${name.givenName} ${name.familyName}` : '';
  const shownTitle = typeof title === 'string' ? title : undefined;
  const isSo =
    person.fullName.allows(fullName) &&
    person.title.allows(shownTitle) &&
    person.active.allows(active === true);
  if (isSo) return [];
  const { address, fullName: wanted, title: wantedTitle, active: wantedActive } = person;
  return [
    `${address} reads ${fullName}, ${shownTitle}, ${active}, not ${wanted}, ${wantedTitle}, ${wantedActive}`,
  ];
}

function toRefusal({ method, path }: AskedRequest, { status, body }: Answer): string {
  return `${method} ${path} was refused: ${status} ${JSON.stringify(body)}`;
}

function listObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
