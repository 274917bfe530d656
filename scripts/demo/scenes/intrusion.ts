import { expectThat, until } from '../expect.ts';
import { readHeldPlans, readPlan } from '../ops.ts';
import { ADA, COLLEAGUES, GRACE, PAYROLL } from '../people.ts';
import type { Talk } from '../talk.ts';
import { ADMIN } from '../world.ts';

/** How many actions of a plan are shown. */
const SHOWN = 3;

/** Many people are put into a group. Taking them out again would be a mass removal, so the bridge asks first. */
export async function playIntrusion(talk: Talk): Promise<void> {
  const { screen, world } = talk;
  await screen.headline('A repair that would take away a lot waits for an operator');
  await screen.say(`${ADMIN.email} puts ${COLLEAGUES.length} people into ${PAYROLL}.`);
  for (const { email } of COLLEAGUES) world.behindTheBack.addMember(PAYROLL, email);
  const { id, hash, status, counts } = await readPlan(talk, await untilHeld(talk));
  expectThat(status === 'held', `the plan waits: ${status}`);
  expectThat(counts.harm.removeMember === COLLEAGUES.length, 'it would remove all of them');
  await show(talk, hash);
  const before = world.service.members(PAYROLL).length;
  expectThat(before === COLLEAGUES.length + 2, 'nothing was done about it by itself');

  await screen.say('The operator has seen it, and approves exactly that:');
  const [head = ''] = await talk.run(`plan approve ${id} ${hash}`);
  await screen.answer(head);
  const { actions } = await until(
    'the plan is applied',
    () => readPlan(talk, id),
    ({ status }) => status === 'applied',
  );
  const done = actions.filter(({ status }) => status === 'done').length;
  expectThat(done === COLLEAGUES.length, `all of it was done, not ${done}`);
  const members = world.service.members(PAYROLL);
  expectThat(members.join() === `${ADA.email},${GRACE.email}`, `${PAYROLL} is as it was`);
  await screen.say(`Applied: ${done} removed; ${PAYROLL} is ${members.join(' and ')} again.`);
}

/** Waits until the bridge has seen it, and asks. The id of the plan that waits. */
async function untilHeld(talk: Talk): Promise<string> {
  const [plan, ...others] = await until(
    'a plan is held',
    () => readHeldPlans(talk),
    ({ length }) => length > 0,
  );
  expectThat(plan !== undefined && others.length === 0, 'one plan waits');
  return plan?.id ?? '';
}

/** Shows the plan that waits, shortened; it says what is to be typed to approve it. */
async function show({ screen, run }: Talk, hash: string): Promise<void> {
  const lines = await run('plan show');
  const decision = lines.find((line) => line.includes('plan approve'));
  expectThat(decision?.includes(hash) === true, 'the plan says how it is approved');
  const actions = lines.slice(1).filter((line) => line.startsWith('  '));
  await screen.answer(
    lines[0] ?? '',
    ...actions.slice(0, SHOWN),
    `  … (${actions.length - SHOWN} more)`,
    decision ?? '',
  );
}
