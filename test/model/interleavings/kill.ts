import type { Play } from './play.ts';

/** Steps of another process after which the kill comes, at most. */
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
