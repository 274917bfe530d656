import type { PlanActionAnswer } from '../../../src/ops/plans-router.ts';
import { expectThat, until } from '../expect.ts';
import { parsePlan, readHeldPlans, readPlan } from '../ops.ts';
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
  const id = await untilHeld(talk);
  const { hash } = await show(talk, id);
  const before = world.service.members(PAYROLL).length;
  expectThat(before === COLLEAGUES.length + 2, 'nothing was done about it by itself');

  await screen.say('The operator has seen it and approves exactly that:');
  const path = `/ops/plans/${id}/approve`;
  await talk.ask({ as: 'operator', method: 'POST', path, body: { hash } });
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

/** Shows the plan that waits, and why it waits. */
async function show({ screen, ask }: Talk, id: string) {
  const plan = parsePlan(await ask({ as: 'operator', method: 'GET', path: `/ops/plans/${id}` }));
  const { status, hash, reason, actions, counts } = plan;
  expectThat(status === 'held', `the plan waits: ${status}`);
  expectThat(counts.harm.removeMember === COLLEAGUES.length, 'it would remove all of them');
  await screen.answer(
    `${status}  hash ${hash}`,
    `why: ${reason}`,
    ...actions.slice(0, SHOWN).map(toActionLine),
    `… and ${counts.total - SHOWN} more`,
  );
  return plan;
}

function toActionLine({ kind, resource, member, reason }: PlanActionAnswer): string {
  return `${kind.padEnd(16)} ${member?.name} in ${resource.name}: ${reason}`;
}
