import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { createSeededRandom } from '../model/interleavings/seeded-random.ts';
import type { Administrator, Trespass } from './administrator.ts';
import type { Lives } from './lives.ts';
import type { Operator } from './operator.ts';
import type { Disturbance, moments } from './schedule.ts';
import type { Trace } from './trace.ts';

/** How long to wait for a call that may not come, in milliseconds. */
const CALL_MAX_MS = 1_500;

/** A database server that can go away and come back with what it holds. */
export interface Restartable {
  down(how: 'crash' | 'order'): Promise<void>;
  up(): Promise<void>;
}

/** What disturbances act on. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly lives: Lives;
  readonly operator: Operator;
  readonly administrator: Administrator;
  readonly postgres: Restartable | undefined;
  readonly trace: Trace;
}

/** What was done to the bridge. */
export interface DisturbanceCounts {
  kills: number;
  terminations: number;
  freezes: number;
  postgresRestarts: number;
  faults: number;
  changesBehind: number;
}

/** Carries disturbances out. */
export interface Disturber {
  /** Begins one, and waits only where it is done at once. */
  disturb(disturbance: Disturbance): Promise<void>;
  /** Resolves when whatever was begun is over, with what went wrong. */
  end(): Promise<string[]>;
  readonly counts: DisturbanceCounts;
}

/** Disturbs this stage. */
export function createDisturber(stage: Stage): Disturber {
  const { sandbox, lives, operator, administrator, postgres, trace } = stage;
  const counts = {
    kills: 0,
    terminations: 0,
    freezes: 0,
    postgresRestarts: 0,
    faults: 0,
    changesBehind: 0,
  };
  const underWay: Promise<unknown>[] = [];
  let postgresIsBack = Promise.resolve();

  async function endProcess(disturbance: Extract<Disturbance, { kind: 'kill' | 'terminate' }>) {
    const { kind, slot, moment, delayMs } = disturbance;
    await untilMoment(sandbox, moment);
    await sleep(delayMs);
    if (kind === 'kill') {
      counts.kills += 1;
      await lives.kill(slot);
    } else {
      counts.terminations += 1;
      await lives.stopOne(slot);
    }
  }

  /** One after another: what is away cannot be ended. */
  function restartPostgres({ how, awayMs }: Extract<Disturbance, { kind: 'restart postgres' }>) {
    postgresIsBack = postgresIsBack.then(async () => {
      await postgres?.down(how);
      await sleep(awayMs);
      await postgres?.up();
    });
    return postgresIsBack;
  }

  async function disturb(disturbance: Disturbance): Promise<void> {
    const { kind } = disturbance;
    trace.note('disturbance', kind === 'trespasses' ? { kind } : { ...disturbance });
    switch (disturbance.kind) {
      case 'kill':
      case 'terminate':
        underWay.push(endProcess(disturbance));
        return;
      case 'freeze':
        counts.freezes += 1;
        underWay.push(lives.freeze(disturbance.slot, disturbance.forMs));
        return;
      case 'restart postgres':
        counts.postgresRestarts += 1;
        underWay.push(restartPostgres(disturbance));
        return;
      case 'fault':
        counts.faults += 1;
        sandbox.faults.add(disturbance.rule);
        return;
      case 'trespasses':
        for (const trespass of disturbance.trespasses) {
          const isDone = administrator.trespass(trespass);
          if (isDone) counts.changesBehind += 1;
          trace.note('change behind the back', { ...toTraceable(trespass), isDone });
        }
        return;
      case 'unmanaged':
        counts.changesBehind += 1;
        return administrator.changeOwn(createSeededRandom(disturbance.seed));
      case 'sweep':
        underWay.push(operator.ask('POST', '/sweeps', {}));
        return;
      case 'pause':
      case 'resume':
        underWay.push(operator.ask('POST', `/${disturbance.kind}`, {}));
        return;
      case 'approve':
        underWay.push(operator.approveAll());
        return;
    }
  }

  return {
    disturb,
    counts,
    async end() {
      const ended = await Promise.allSettled(underWay);
      return ended.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    },
  };
}

/** Resolves in the middle of a call of this kind, or after a while. */
async function untilMoment({ calls }: Sandbox, moment: (typeof moments)[number]): Promise<void> {
  if (moment === 'now') return;
  const isMeant = (method: string, operation: string) =>
    moment === 'audit page'
      ? operation === 'auditLogs.retrieveAuditLogEvents'
      : (method === 'GET') === (moment === 'look');
  const from = Date.now();
  while (Date.now() - from < CALL_MAX_MS) {
    const last = calls.recent().at(-1);
    if (last !== undefined && last.at >= from && isMeant(last.method, last.operation)) return;
    await sleep(1);
  }
}

function toTraceable(trespass: Trespass): object {
  const group = 'group' in trespass ? { group: trespass.group.n } : {};
  return { ...trespass, person: trespass.person.address, ...group };
}
