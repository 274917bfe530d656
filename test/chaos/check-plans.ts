import type { Operator, ShownPlan } from './operator.ts';

/** Plans that stand where none may stand in the end, or were carried out though nobody approved them. */
export async function listPlanFindings(operator: Operator): Promise<string[]> {
  const findings: string[] = [];
  for (const plan of await operator.listPlans()) {
    const actions = await operator.listActions(plan.id);
    const left = actions.filter(({ status }) => status !== 'done' && status !== 'dropped');
    findings.push(...judgePlan(operator, plan));
    if (plan.status === 'applied' && left.length > 0) {
      findings.push(`plan ${plan.id} is applied, and ${left.length} of its actions are not over`);
    }
  }
  return findings;
}

function judgePlan({ sent }: Operator, { id, status, reason }: ShownPlan): string[] {
  const isApplied = status === 'applied';
  const isUnasked = isApplied && reason !== null && !sent.has(id);
  return [
    ...(isApplied || status === 'discarded' ? [] : [`plan ${id} is ${status} in the end`]),
    ...(isUnasked ? [`plan ${id} was carried out, and nobody approved it: ${reason}`] : []),
  ];
}
