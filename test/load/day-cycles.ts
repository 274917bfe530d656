import type { JsonObject } from '../../src/domain/json.ts';
import type { TestBridge } from '../support/bridge.ts';
import { toMembers, toPatch, toUser } from '../support/provider.ts';
import { type DayEvent, listCycle } from './day-plan.ts';
import type { LoadCompany } from './draws.ts';

/** How many requests a provider has on their way at the same time. */
const AT_ONCE = 4;
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** What one cycle changes in one group. */
interface GroupChange {
  readonly add: string[];
  readonly remove: string[];
}

/** Cycles of a provider in the words of Entra ID: who changed is looked up and changed, then the groups are. */
export class DayCycles {
  /** Requests that were answered. */
  requests = 0;
  /** Requests that were answered without success. */
  failed = 0;
  readonly #bridge: TestBridge;
  readonly #company: LoadCompany;
  readonly #events: readonly DayEvent[];
  #underWay: Promise<void> = Promise.resolve();
  #begun = 0;
  #ended = 0;

  constructor(bridge: TestBridge, company: LoadCompany, events: readonly DayEvent[]) {
    this.#bridge = bridge;
    this.#company = company;
    this.#events = events;
  }

  /** True while a cycle sends. */
  get isUnderWay(): boolean {
    return this.#begun > this.#ended;
  }

  /** Begins the cycle of this minute, after the one before has ended. */
  begin(minute: number): void {
    this.#begun += 1;
    this.#underWay = this.#underWay.then(async () => {
      await this.#run(listCycle(this.#events, minute));
      this.#ended += 1;
    });
  }

  async #run(events: readonly DayEvent[]): Promise<void> {
    const groups = new Map<number, GroupChange>();
    await eachAtOnce(events, (event) => this.#change(event, groups));
    await eachAtOnce([...groups], ([index, change]) => this.#changeGroup(index, change));
  }

  /** Changes the person, and notes what follows for groups. */
  async #change(event: DayEvent, groups: Map<number, GroupChange>): Promise<void> {
    const id = await (event.kind === 'join' ? this.#create(event) : this.#update(event));
    if (id === undefined) return;
    const [first, ...others] = event.groups;
    const added = event.kind === 'join' ? event.groups : others;
    for (const index of added) changeOf(groups, index).add.push(id);
    if (event.kind === 'move' && first !== undefined) changeOf(groups, first).remove.push(id);
  }

  async #create({ person }: DayEvent): Promise<string | undefined> {
    const name = `joiner${person}`;
    await this.#ask('GET', `/Users?filter=userName eq "${name}@example.com"`);
    const { id } = await this.#ask('POST', '/Users', toUser(name, { externalId: name }));
    return typeof id === 'string' ? id : undefined;
  }

  async #update({ kind, person }: DayEvent): Promise<string | undefined> {
    const one = this.#company.people[person];
    if (one === undefined) return undefined;
    await this.#ask('GET', `/Users?filter=externalId eq "${one.externalId}"`);
    await this.#ask('PATCH', `/Users/${one.id}`, toPatch(toOperation(kind, person)));
    return one.id;
  }

  async #changeGroup(index: number, { add, remove }: GroupChange): Promise<void> {
    const group = this.#company.groups[index];
    if (group === undefined) return;
    const path = `/Groups/${group.id}`;
    await this.#ask('GET', `${path}?excludedAttributes=members`);
    const added = { op: 'Add', path: 'members', value: toMembers(add) };
    const removed = { op: 'Remove', path: 'members', value: toMembers(remove) };
    const operations = [
      ...(add.length > 0 ? [added] : []),
      ...(remove.length > 0 ? [removed] : []),
    ];
    await this.#ask('PATCH', path, toPatch(...operations));
  }

  async #ask(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
    const answer = await this.#bridge.request(method, path, body);
    this.requests += 1;
    if (answer.status >= 300) this.failed += 1;
    return answer.body;
  }
}

function toOperation(kind: DayEvent['kind'], person: number): JsonObject {
  if (kind === 'leave') return { op: 'Replace', path: 'active', value: 'False' };
  if (kind === 'rename') {
    return { op: 'Replace', path: 'name.familyName', value: `Married${person}` };
  }
  return { op: 'Replace', path: `${ENTERPRISE}:department`, value: `Department ${person % 20}` };
}

function changeOf(groups: Map<number, GroupChange>, index: number): GroupChange {
  const change = groups.get(index) ?? { add: [], remove: [] };
  groups.set(index, change);
  return change;
}

/** Does something for each, a few at the same time. */
async function eachAtOnce<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = list.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const one of left) await work(one);
    }),
  );
}
