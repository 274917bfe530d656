import { GROUP_SCHEMA_URI } from '../../../src/domain/extensions.ts';
import type { ObservedUser } from '../../../src/domain/kinds.ts';
import { groupId, newId, userId } from '../../../src/domain/values.ts';
import { toShown } from '../../../src/reconcile/differences.ts';
import { toObservedColumns } from '../../../src/reconcile/user/account.ts';
import type { SandboxUser } from '../../../src/sandbox/model.ts';
import { toColumns } from '../../../src/store/engine/columns.ts';
import { observeLinks } from '../../../src/store/links/links.ts';
import { insertRow } from '../../../src/store/resources/rows.ts';
import { createLocalBell } from '../../../src/store/store.ts';
import type { Company } from './company.ts';
import { createCompany } from './company.ts';
import type { Trouble } from './gated-transport.ts';
import { createOffice } from './office.ts';
import type { Exchange, Replica } from './replica.ts';
import { createReplica } from './replica.ts';
import type { Wish } from './requests.ts';
import { GIVEN_NAME, toUserDocument } from './requests.ts';
import type { Scheduler } from './scheduler.ts';
import { createScheduler } from './scheduler.ts';
import { createSeededRandom } from './seeded-random.ts';
import type { Trace } from './snapshot.ts';
import type { World } from './world.ts';

/** A request that was sent, with what it asks for. */
export interface SentWish extends Exchange {
  readonly request: Wish;
}

interface Act {
  readonly replica: Replica;
  isOver: boolean;
}

/** One schedule while it is played: its company, its processes, what was asked of them. */
export type Play = ReturnType<typeof createPlay>;

/** How a schedule is played. */
export interface PlayOptions {
  readonly seed: number;
  readonly timePasses: number;
  readonly trace: Trace | undefined;
}

/** Begins a schedule in an empty world. `trace` is told every step. */
export function createPlay(world: World, { seed, timePasses, trace }: PlayOptions) {
  const random = createSeededRandom(seed);
  const scheduler = createScheduler({ random, timePasses, trace });
  const company = createCompany(scheduler.now);
  const bell = createLocalBell();
  const replicas: Replica[] = [];
  const sent: SentWish[] = [];
  const acts: Act[] = [];
  const failures: unknown[] = [];
  let trouble: Trouble = {};
  const onFailure = (error: unknown) => void failures.push(error);
  const office = createOffice(world.store, scheduler, { callMs: world.policies.callMs, onFailure });

  return {
    world,
    random,
    scheduler,
    company,
    sent,
    replicas,
    office,
    failures,
    async addReplica(name: string): Promise<Replica> {
      const parts = { name, world, scheduler, bell, office, company, random, onFailure };
      const replica = await createReplica({ ...parts, trouble: () => trouble });
      replicas.push(replica);
      return replica;
    },
    /** One process or two, as it comes: much goes wrong only within one, much only between two. */
    async addReplicas(): Promise<readonly Replica[]> {
      await this.addReplica('A');
      if (random.chance(0.5)) await this.addReplica('B');
      return replicas;
    },
    setTrouble(next: Trouble): void {
      trouble = next;
    },
    act(replica: Replica, run: () => Promise<void>): void {
      const act: Act = { replica, isOver: false };
      acts.push(act);
      scheduler
        .pass(replica.name, 'begins')
        .then(run)
        .then(() => {
          act.isOver = true;
        }, onFailure);
    },
    ask(through: readonly Replica[], wishes: readonly Wish[]): void {
      for (const wish of wishes) {
        const replica = random.pick(through);
        this.act(replica, async () => void (await this.send(replica, wish)));
      }
    },
    async send(replica: Replica, request: Wish): Promise<SentWish> {
      const unheard = { stored: undefined, status: undefined, detail: undefined };
      const exchange: SentWish = { request, ...unheard };
      sent.push(exchange);
      await replica.send(exchange);
      trace?.note(replica.name, `answers ${exchange.status} ${exchange.detail ?? ''}`);
      return exchange;
    },
    async isActing() {
      await scheduler.rest();
      return failures.length === 0 && acts.some((act) => !act.isOver && act.replica.isAlive);
    },
    addUser: (userName: string, how: How) => addUser({ world, scheduler, company }, userName, how),
    addGroup: (name: string, how: How, members: readonly SandboxUser[] = []) =>
      addGroup({ world, scheduler, company }, { name, how, members }),
  };
}

type How = 'created' | 'observed';
interface Stage {
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly company: Company;
}

async function addUser({ world, scheduler, company }: Stage, userName: string, how: How) {
  const fullName = `${GIVEN_NAME} First`;
  const account = company.service.addUser({ email: userName, userName, fullName });
  const at = scheduler.now();
  const observed: ObservedUser = { userName, email: userName, fullName, active: true, at, by: 'x' };
  const isManaged = how === 'created';
  const attributes = isManaged
    ? { ...toUserDocument(userName, 'First'), active: true }
    : toShown(observed);
  const id = userId(newId());
  await world.store.write((tx) =>
    insertRow(tx, {
      type: 'user',
      id,
      origin: isManaged ? 'created' : null,
      ...toColumns('user', attributes),
      ...toObservedColumns(undefined, observed),
      upstream_id: account.id,
      created_at: at,
      modified_at: at,
    }),
  );
  return { id, account };
}

async function addGroup(
  { world, scheduler, company }: Stage,
  { name, how, members }: { name: string; how: How; members: readonly SandboxUser[] },
) {
  const group = company.service.createGroup({ name });
  for (const { id } of members) company.service.link(group.id, id);
  const at = scheduler.now();
  const isManaged = how === 'created';
  const id = groupId(newId());
  const attributes = { schemas: [GROUP_SCHEMA_URI], displayName: name };
  await world.store.write(async (tx) => {
    const row = await insertRow(tx, {
      type: 'group',
      id,
      origin: isManaged ? 'created' : null,
      ...toColumns('group', attributes),
      observed: { displayName: name, permissions: 0, at, by: 'x' },
      upstream_id: group.id,
      upstream_scim_id: String(group.id),
      upstream_uid: group.uid,
      created_at: at,
      modified_at: at,
    });
    const seen = { upstreamUserIds: members.map((member) => member.id) };
    await observeLinks(tx, row, { ...seen, list: 'member', baseline: isManaged ? 1 : null });
  });
  return { id, group };
}
