import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { JsonObject } from '../../src/domain/values.ts';
import { isJsonObject } from '../../src/domain/values.ts';
import { toObjects } from '../support/operator.ts';
import type { BridgeProcess } from '../support/server.ts';
import { OPS_TOKEN } from '../support/site.ts';
import { attempts } from './client.ts';

const BUSY_MS = 20;
const PAGE = 1_000;
/** Time that the backlog, or a comparison, may take in the end, in milliseconds: more than the longest back-off. */
const QUIET_MAX_MS = 360_000;
const POLL_MS = 25;
/** Plans that may wait one after another in the end. */
const ROUNDS_MAX = 8;
/** Sweeps that may be incomplete in a row: an account that comes late may come between two of the lists. */
const INCOMPLETE_MAX = 3;
/** Nothing waits for so long, in milliseconds, but a look for what a lost create may still bring forth. */
const LATER_MS = 30_000;

/** Asks whichever process lives. */
export class Operator {
  readonly #pick: () => Promise<BridgeProcess>;
  /** Plans whose approval was sent, whatever became of that. */
  readonly #sent = new Set<unknown>();

  constructor(pick: () => Promise<BridgeProcess>) {
    this.#pick = pick;
  }

  async ask(method: 'GET' | 'POST', path: string, body?: JsonObject) {
    const answer = await request(new URL(`/ops${path}`, (await this.#pick()).baseUrl), {
      method,
      headers: { authorization: `Bearer ${OPS_TOKEN}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    }).catch(() => undefined);
    const text = await answer?.body.text().catch(() => undefined);
    if (answer === undefined || text === undefined || answer.statusCode >= 300) return undefined;
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  }

  async insist(method: 'GET' | 'POST', path: string, body?: JsonObject): Promise<JsonObject> {
    for (const _ of attempts()) {
      const answer = await this.ask(method, path, body);
      if (answer !== undefined) return answer;
      await sleep(BUSY_MS);
    }
    throw new Error(`nobody answers ${method} /ops${path}`);
  }

  async list(path: string): Promise<JsonObject[]> {
    const items: JsonObject[] = [];
    for (let more = ''; ; ) {
      const page = await this.insist('GET', `${path}limit=${PAGE}${more}`);
      items.push(...toObjects(page.items));
      if (page.nextCursor === null) return items;
      more = `&cursor=${page.nextCursor}`;
    }
  }

  async approveAll(): Promise<number> {
    let approved = 0;
    for (const { id, hash = '' } of await this.list('/plans?status=held&')) {
      this.#sent.add(id);
      const answer = await this.ask('POST', `/plans/${id}/approve`, { hash });
      if (answer !== undefined) approved += 1;
    }
    return approved;
  }

  /** Plans that stand where none may stand in the end, or were carried out though nobody approved them. */
  async listPlanFindings(): Promise<string[]> {
    const findings: string[] = [];
    for (const { id, status, reason } of await this.list('/plans?')) {
      const isOver = ['applied', 'discarded'].includes(String(status));
      if (!isOver) findings.push(`plan ${id} is ${status} in the end`);
      if (status !== 'applied') continue;
      if (reason !== null && !this.#sent.has(id))
        findings.push(`plan ${id} was carried out, and nobody approved it: ${reason}`);
      const actions = await this.list(`/plans/${id}/actions?`);
      const left = actions.filter((one) => one.status !== 'done' && one.status !== 'dropped');
      if (left.length > 0)
        findings.push(`plan ${id} is applied, and ${left.length} of its actions are not over`);
    }
    return findings;
  }

  /** Sweeps, and approves what waits, until nothing is left. Says what does not come to its end. */
  async settle(): Promise<string[]> {
    await this.insist('POST', '/resume', {});
    for (let round = 1; round <= ROUNDS_MAX; round += 1) {
      const before = await this.#untilQuiet();
      // It may be one that was begun before the last change, or while something still went wrong.
      await this.#sweep();
      const findings = [...before, ...(await this.#untilQuiet()), ...(await this.#sweep())];
      findings.push(...(await this.#untilQuiet()));
      if (findings.length > 0) return findings;
      if ((await this.approveAll()) > 0) continue;
      if ((await this.list('/drifts?status=repairing&')).length === 0) return [];
    }
    return [`something is still repaired after ${ROUNDS_MAX} rounds`];
  }

  async #untilQuiet(): Promise<string[]> {
    const deadline = performance.now() + QUIET_MAX_MS;
    for (;;) {
      const { due, stuck, disputes, failing } = await this.insist('GET', '/status');
      const approved = await this.list('/plans?status=approved&');
      const isQuiet = due === 0 || due === (await this.#countLater());
      if (isQuiet && approved.length === 0) {
        const left = Object.entries({ stuck: toObjects(stuck), disputes: toObjects(disputes) });
        return left.flatMap(([what, list]) =>
          list.length === 0 ? [] : [`${what}: ${JSON.stringify(list)}`],
        );
      }
      if (performance.now() > deadline) {
        const plans = `${approved.length} plans approved`;
        return [`${due} are due, ${plans}: ${JSON.stringify(failing)}`];
      }
      await sleep(POLL_MS);
    }
  }

  /** Whom a lost create may still bring forth: nothing of them waits for the service. */
  async #countLater(): Promise<number> {
    const lists = ['/users?', '/users?deleted=true&', '/groups?', '/groups?deleted=true&'];
    const rows = await Promise.all(lists.map((list) => this.list(`${list}due=true&`)));
    const isLater = ({ dueAt, pending }: JsonObject) =>
      String(pending) === '' && Date.parse(String(dueAt)) > Date.now() + LATER_MS;
    return rows.flat().filter(isLater).length;
  }

  async #sweep(): Promise<string[]> {
    for (let tries = 1; ; tries += 1) {
      const { id } = await this.insist('POST', '/sweeps', {});
      const deadline = performance.now() + QUIET_MAX_MS;
      let sweep = await this.insist('GET', `/sweeps/${id}`);
      while (sweep.status === 'running') {
        if (performance.now() > deadline) return ['a sweep does not come to its end'];
        await sleep(POLL_MS);
        sweep = await this.insist('GET', `/sweeps/${id}`);
      }
      if (sweep.status !== 'incomplete') return [];
      if (tries === INCOMPLETE_MAX) return [`a sweep was incomplete: ${sweep.reasons}`];
    }
  }
}
