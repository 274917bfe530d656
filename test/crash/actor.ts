import type { JsonObject } from '../../src/domain/json.ts';
import type { SeededRandom } from '../interleavings/seeded-random.ts';
import { listResources } from '../support/provider.ts';
import type { Asked, CrashClient } from './client.ts';
import type { Fact } from './fact.ts';

/** How often a provider repeats what nobody answered; otherwise it goes on with something else. */
const REPEATS = 0.7;

/** What every person and every group of a run is moved by. */
export interface Stage {
  readonly client: CrashClient;
  readonly random: SeededRandom;
}

/** A request for one value of each of some facts. */
export interface Change extends Asked {
  readonly wanted: readonly Wanted[];
}

/** A fact and the value that is asked for. */
export interface Wanted {
  ask(): void;
  acknowledge(): void;
}

/** Pairs a fact with the value that is asked for. */
export function want<T>(fact: Fact<T>, value: T): Wanted {
  return { ask: () => fact.ask(value), acknowledge: () => fact.acknowledge(value) };
}

/** Sends a change, again and again or not when nobody answers. */
export async function change({ client, random }: Stage, request: Change): Promise<void> {
  const { wanted, ...asked } = request;
  do {
    for (const one of wanted) one.ask();
    const answer = await client.send(asked);
    if (answer === undefined) continue;
    if (answer.status < 300 || answer.status === asked.expected)
      for (const one of wanted) one.acknowledge();
    return;
  } while (random.chance(REPEATS));
}

/** What is to be created, and how to find it when nobody answered. */
export interface Creation {
  readonly type: 'Users' | 'Groups';
  readonly body: JsonObject;
  readonly filter: string;
  readonly wanted: readonly Wanted[];
}

/** Creates something as a provider does: when nobody answers it looks before it asks again. Gives the SCIM id. */
export async function create({ client }: Stage, creation: Creation): Promise<string> {
  const { type, body, filter, wanted } = creation;
  for (;;) {
    for (const one of wanted) one.ask();
    const answer = await client.send({ method: 'POST', path: `/${type}`, body });
    const id = answer?.status === 201 ? String(answer.body.id) : await find();
    if (id === undefined) continue;
    for (const one of wanted) one.acknowledge();
    return id;
  }

  async function find(): Promise<string | undefined> {
    for (;;) {
      const path = `/${type}?${new URLSearchParams({ filter })}`;
      const answer = await client.send({ method: 'GET', path });
      if (answer !== undefined) return listResources(answer).map(({ id }) => String(id))[0];
    }
  }
}
