import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { send, toGroup, toUser } from '../support/provider.ts';
import { sendRaw, toRequester } from '../support/send-raw.ts';
import { type Draft, freshen, listPlaceholders } from './drafts.ts';
import type { Stage } from './run.ts';

/** Time in which the work behind an answer ends, in milliseconds. */
const AFTERWARDS_MS = 100;

/** Measures the longest turn of the event loop that a request causes, in milliseconds of the bridge's own thread. */
export class TurnMeter {
  readonly #stage: Stage;
  /** Ids of users and groups as drafts want them, until a request may have changed them. */
  readonly #targets = new Map<string, string>();
  /** Users and groups made so far, whose turns are not of the draft. */
  #made = 0;
  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Sends the draft once. Its turn may be work behind the answer of the request before. */
  async measure(draft: Draft): Promise<number> {
    const known = this.#made;
    const ids = await this.#findTargets(draft);
    if (this.#made > known) await this.#readLongest();
    await this.#send(draft, ids);
    return this.#readLongest();
  }

  /** Sends the draft again and again, alone, each time to users and groups made anew. */
  async repeat(draft: Draft, times: number): Promise<number[]> {
    const turnsMs: number[] = [];
    for (let again = 0; again < times; again += 1) {
      this.#targets.clear();
      const ids = await this.#findTargets(draft);
      await sleep(AFTERWARDS_MS);
      await this.#readLongest();
      await this.#send(draft, ids);
      await sleep(AFTERWARDS_MS);
      turnsMs.push(await this.#readLongest());
    }
    return turnsMs;
  }

  async #send(draft: Draft, ids: ReadonlyMap<string, string>): Promise<void> {
    const { bridge, pool } = this.#stage;
    const fresh = { ids, members: pool.userIds, name: toName() };
    const { method, path, body } = freshen(draft, fresh);
    const { status } = await sendRaw(bridge, { method, path, body: JSON.stringify(body) });
    // What is refused stores nothing.
    if (status < 300 && ids.size > 0) this.#targets.clear();
  }

  /** Ids of the users and groups that the draft names. */
  async #findTargets(draft: Draft): Promise<Map<string, string>> {
    const ids = new Map<string, string>();
    for (const placeholder of listPlaceholders(draft)) {
      const isUser = placeholder.startsWith('{{user');
      const wanted = isUser ? draft.user : draft.group;
      const key = `${placeholder}${JSON.stringify(wanted)}`;
      const id = this.#targets.get(key) ?? (await this.#makeTarget(isUser, wanted));
      this.#targets.set(key, id);
      ids.set(placeholder, id);
    }
    return ids;
  }

  /** Makes a user or a group; a plain one where the wanted one is refused. */
  async #makeTarget(isUser: boolean, wanted: Draft['user']): Promise<string> {
    this.#made += 1;
    const { bridge, pool } = this.#stage;
    const provider = toRequester(bridge);
    const path = isUser ? '/Users' : '/Groups';
    const draft = { method: 'POST', path, body: wanted } as const;
    const { body } = freshen(draft, { ids: new Map(), members: pool.userIds, name: toName() });
    const answer = await provider.request('POST', path, body);
    const plain = isUser ? toUser(toName()) : toGroup(toName());
    const made = answer.status === 201 ? answer : await send(provider, 'POST', path, plain);
    return String(made.body.id);
  }

  async #readLongest(): Promise<number> {
    return Number(await (await request(this.#stage.probeUrl)).body.text());
  }
}

/** A name that nothing has yet. */
function toName(): string {
  return `n${randomUUID()}`;
}
