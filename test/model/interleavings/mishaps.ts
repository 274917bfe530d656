import type { Play } from './play.ts';
import type { Replica } from './replica.ts';

/** As long as a leader may be silent, in milliseconds. */
const LEASE_MS = 5_000;
/** Steps of another process after which a leader is killed or falls silent, at most. */
const STEPS_MAX = 12;

/** The second process sees the first one killed, mostly in the middle of something. */
export function killAtSomeStep({ random, scheduler, replicas, act }: Play): void {
  const [first, second] = replicas;
  if (first === undefined || second === undefined) return;
  const steps = Math.floor(random.next() * STEPS_MAX);
  act(second, async () => {
    for (let step = 0; step < steps; step += 1) await scheduler.pass(second.name, 'goes on');
    first.kill();
  });
}

/** About as long as another process waits before it leads. */
export function sleepLong({ random, scheduler }: Play): Promise<void> {
  return scheduler.clock('B').sleep(Math.round(LEASE_MS * (0.5 + random.next())));
}

/** Somewhere in the middle the leader is not heard of any more, whether it knows or not. */
export function fallSilent({ random, scheduler, office, act }: Play, other: Replica): void {
  const steps = Math.floor(random.next() * STEPS_MAX);
  act(other, async () => {
    for (let step = 0; step < steps; step += 1) await scheduler.pass(other.name, 'goes on');
    office.silence(random.next);
  });
}
