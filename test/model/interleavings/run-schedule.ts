import { checkInvariants } from './invariants.ts';
import { createPlay, type Play } from './play.ts';
import type { Trace } from './trace.ts';
import type { World } from './world.ts';

/** A story of requests and mishaps, of which a seed makes one schedule. */
export interface Scenario {
  readonly name: string;
  /** How often time passes although something could go on, when it is not as usual. */
  readonly timePasses?: number;
  /** Prepares the company and has people act; the returned function says what else does not hold in the end. */
  begin(play: Play): Promise<() => Promise<readonly string[]>>;
}

/** Steps of one schedule at most: more never come to an end. */
const STEPS_MAX = 4_000;
/** How far time moves when all that is due waits for a new leader, in milliseconds. */
const PATIENCE_MS = 20_000;
/** How far ahead the time of a stuck resource is at least, in milliseconds. */
const STUCK_AHEAD_MS = 50 * 60_000;
/** How often time passes although something could go on. */
const TIME_PASSES = 0.04;
/** How many of the schedules converge again what has converged. */
const AGAIN = 0.2;
/** How often a schedule waits for the time of what is stuck. */
const STUCK_ROUNDS = 2;

/** Plays one schedule to its end. @returns what does not hold; nothing, when all is well */
export async function runSchedule(
  world: World,
  scenario: Scenario,
  seed: number,
  trace?: Trace,
): Promise<readonly string[]> {
  await world.empty();
  const play = createPlay(world, { seed, timePasses: scenario.timePasses ?? TIME_PASSES, trace });
  const check = await scenario.begin(play);
  for (let steps = 0; await play.isActing(); steps += 1) {
    if (steps > STEPS_MAX) return ['the requests never come to an end'];
    if (!(await play.scheduler.step())) return ['a request waits for something that never happens'];
  }
  if (!(await comeToRest(play, STUCK_ROUNDS))) return ['the work never comes to an end'];
  const violations = [...(await checkInvariants(play)), ...(await check())];
  const isAsked = violations.length === 0 && play.random.chance(AGAIN);
  return isAsked ? convergeAgain(play) : violations;
}

/** Nothing goes wrong any more and workers do what is left, also what was stuck and comes due again. */
async function comeToRest(play: Play, stuckRounds: number): Promise<boolean> {
  const { scheduler } = play;
  play.setTrouble({});
  if (!play.replicas.some(({ isAlive }) => isAlive)) await play.addReplica('last');
  let rounds = 0;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    if (await scheduler.stepNow()) continue;
    const dueAt = findNextAt(play);
    if (dueAt === undefined) return true;
    if (dueAt > scheduler.now() + STUCK_AHEAD_MS) {
      rounds += 1;
      if (rounds > stuckRounds) return true;
    }
    scheduler.advanceTo(Math.max(dueAt, scheduler.now() + PATIENCE_MS));
    await scheduler.step();
  }
  return false;
}

/** When something is due or on its way (epoch milliseconds); undefined: neither. */
function findNextAt({ world, scheduler, office, replicas }: Play): number | undefined {
  const isBusy = office.isChanging || replicas.some(({ isCalling }) => isCalling);
  return isBusy ? scheduler.now() : world.findNextAt();
}

/** What has converged costs no call when it is converged again. */
async function convergeAgain(play: Play): Promise<readonly string[]> {
  const { world, company, scheduler } = play;
  const before = company.calls;
  await world.store.write(async (tx) => {
    const rows = tx.updateTable('resources').set({ due_at: 1 }).where('deleted_at', 'is', null);
    await rows.where('stuck_at', 'is', null).execute();
  });
  scheduler.advanceTo(scheduler.now() + PATIENCE_MS);
  if (!(await comeToRest(play, 0))) return ['converging again never ends'];
  const calls = company.calls - before;
  return calls === 0 ? [] : [`converging again made ${calls} calls`];
}
