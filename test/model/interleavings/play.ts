import { GROUP_SCHEMA_URI } from '../../../src/domain/extensions.ts';
import { groupId, newId, userId } from '../../../src/domain/ids.ts';
import type { ObservedUser } from '../../../src/domain/user.ts';
import { toObservedColumns, toUnmanagedAttributes } from '../../../src/reconcile/user/observe.ts';
import type { SandboxGroup, SandboxUser } from '../../../src/sandbox/model.ts';
import { createLocalBell } from '../../../src/store/bell.ts';
import { toGroupColumns, toUserColumns } from '../../../src/store/engine/columns.ts';
import { observeLinks } from '../../../src/store/links/observe.ts';
import { insertRow } from '../../../src/store/resources/rows.ts';
import { type Company, createCompany } from './company.ts';
import type { Trouble } from './gated-transport.ts';
import { createOffice, type Office } from './office.ts';
import { createReplica, type Exchange, type Replica } from './replica.ts';
import { GIVEN_NAME, toUserDocument, type Wish } from './requests.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import type { Trace } from './trace.ts';
import type { World } from './world.ts';

/** A request that was sent, with what it asks for. */
export interface SentWish extends Exchange {
  readonly request: Wish;
}

/** Something that happens in a schedule, such as a provider sending two requests one after another. */
interface Act {
  readonly replica: Replica;
  isOver: boolean;
}

/** One schedule while it is played: its company, its processes, what was asked of them. */
export interface Play {
  readonly world: World;
  readonly random: SeededRandom;
  readonly scheduler: Scheduler;
  readonly company: Company;
  /** Every request in the order in which it began. */
  readonly sent: readonly SentWish[];
  readonly replicas: readonly Replica[];
  readonly office: Office;
  /** Errors that are nobody's but ours. */
  readonly failures: readonly unknown[];
  addReplica(name: string): Promise<Replica>;
  /** One process or two, as it comes: much goes wrong only within one, much only between two. */
  addReplicas(): Promise<readonly Replica[]>;
  /** What goes wrong with calls from now on. */
  setTrouble(trouble: Trouble): void;
  /** Lets somebody act through this process, beginning when the scheduler says so. */
  act(replica: Replica, run: () => Promise<void>): void;
  /** Lets each of these requests come by itself, through any of the processes. */
  ask(replicas: readonly Replica[], wishes: readonly Wish[]): void;
  /** Sends a request and waits for its answer. */
  send(replica: Replica, wish: Wish): Promise<SentWish>;
  /** True while somebody still acts through a process that lives. */
  isActing(): Promise<boolean>;
  /** Stores a person as if the bridge had created the account long ago, or had only seen it. */
  addUser(
    userName: string,
    how: 'created' | 'observed',
  ): Promise<{ id: string; account: SandboxUser }>;
  /** Stores a group in the same way, with its members. */
  addGroup(
    name: string,
    how: 'created' | 'observed',
    members?: readonly SandboxUser[],
  ): Promise<{ id: string; group: SandboxGroup }>;
}

/** How a schedule is played. */
export interface PlayOptions {
  readonly seed: number;
  /** How often time passes although something could go on now. */
  readonly timePasses: number;
  readonly trace: Trace | undefined;
}

/** Begins a schedule in an empty world. `trace` is told every step. */
export function createPlay(world: World, { seed, timePasses, trace }: PlayOptions): Play {
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
    async addReplica(name) {
      const parts = { name, world, scheduler, bell, office, company, random, onFailure };
      const replica = await createReplica({ ...parts, trouble: () => trouble });
      replicas.push(replica);
      return replica;
    },
    async addReplicas() {
      await this.addReplica('A');
      if (random.chance(0.5)) await this.addReplica('B');
      return replicas;
    },
    setTrouble(next) {
      trouble = next;
    },
    act(replica, run) {
      const act: Act = { replica, isOver: false };
      acts.push(act);
      scheduler
        .pass(replica.name, 'begins')
        .then(run)
        .then(() => {
          act.isOver = true;
        }, onFailure);
    },
    ask(through, wishes) {
      for (const wish of wishes) {
        const replica = random.pick(through);
        this.act(replica, async () => void (await this.send(replica, wish)));
      }
    },
    async send(replica, request) {
      const exchange: SentWish = {
        request,
        stored: undefined,
        status: undefined,
        detail: undefined,
      };
      sent.push(exchange);
      await replica.send(exchange);
      trace?.note(replica.name, `answers ${exchange.status} ${exchange.detail ?? ''}`);
      return exchange;
    },
    async isActing() {
      await scheduler.rest();
      return failures.length === 0 && acts.some((act) => !act.isOver && act.replica.isAlive);
    },
    addUser: (userName, how) => addUser({ world, scheduler, company }, userName, how),
    addGroup: (name, how, members = []) =>
      addGroup({ world, scheduler, company }, { name, how, members }),
  };
}

type Stage = Pick<Play, 'world' | 'scheduler' | 'company'>;

async function addUser(
  { world, scheduler, company }: Stage,
  userName: string,
  how: 'created' | 'observed',
) {
  const fullName = `${GIVEN_NAME} First`;
  const account = company.service.addUser({ email: userName, userName, fullName });
  const at = scheduler.now();
  const observed: ObservedUser = { userName, email: userName, fullName, active: true, at, by: 'x' };
  const isManaged = how === 'created';
  const attributes = isManaged
    ? { ...toUserDocument(userName, 'First'), active: true }
    : toUnmanagedAttributes(observed);
  const id = userId(newId());
  await world.store.write((tx) =>
    insertRow(tx, {
      type: 'user',
      id,
      origin: isManaged ? 'created' : null,
      ...toUserColumns(attributes),
      ...toObservedColumns({ erased_at: null }, observed),
      upstream_id: account.id,
      created_at: at,
      modified_at: at,
    }),
  );
  return { id, account };
}

async function addGroup(
  { world, scheduler, company }: Stage,
  {
    name,
    how,
    members,
  }: { name: string; how: 'created' | 'observed'; members: readonly SandboxUser[] },
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
      ...toGroupColumns(attributes),
      observed: JSON.stringify({ displayName: name, permissions: 0, at, by: 'x' }),
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
