import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { type Trespasses, toPair, type Wanted } from './administrator.ts';
import type { Operator, ShownAction, ShownPlan } from './operator.ts';

/** What the service holds and nobody wants, and what was done more or less than once. */
export function listEffectFindings(
  { service }: Sandbox,
  wanted: Wanted,
  trespasses: Trespasses,
): string[] {
  const counts = countOwnEvents(service);
  const listWrongCount = (key: string, times: number) => {
    const count = counts.get(key) ?? 0;
    return count === times ? [] : [`${key}: ${count} times, not ${times}`];
  };
  const { deactivated, joined, left } = trespasses;
  const ofPeople = [...wanted.people].flatMap(([person, name]) => {
    const { active, fullName } = service.getUser(person);
    return [
      ...(active ? [] : [`${person} is not active`]),
      ...(fullName === name ? [] : [`${person} is called ${fullName}, not ${name}`]),
      ...listWrongCount(`activate ${person}`, Number(deactivated.has(person))),
      ...listWrongCount(`deactivate ${person}`, 0),
    ];
  });
  const ofPairs = listPairs(wanted).flatMap(({ group, person, isMember }) => {
    const pair = toPair(group, person);
    const isInside = service.members(group).includes(person);
    return [
      ...(isInside === isMember ? [] : [`${person} in ${group}: ${isInside}`]),
      ...listWrongCount(`add_user ${pair}`, Number(isMember) + Number(left.has(pair))),
      ...listWrongCount(`delete_user ${pair}`, Number(joined.has(pair))),
    ];
  });
  return [...ofPeople, ...ofPairs];
}

/** Everybody and every group. */
function listPairs({ people, groups }: Wanted) {
  return [...groups].flatMap(([group, members]) =>
    [...people.keys()].map((person) => ({ group, person, isMember: members.has(person) })),
  );
}

/** What the account of the bridge did, by action and whom. */
function countOwnEvents(service: Sandbox['service']): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { authorId, action, details } of service.auditEvents()) {
    if (authorId !== service.owner.id) continue;
    const { email = '', group_name: group } = details;
    const key = [action, ...(group === undefined ? [] : [group]), email].join(' ');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Plans that stand where none may stand in the end, and repairs that were not done exactly once. */
export async function listPlanFindings(
  operator: Operator,
  { joined, left, deactivated, renamed }: Trespasses,
): Promise<string[]> {
  const findings: string[] = [];
  const done: string[] = [];
  for (const plan of await operator.listPlans()) {
    const actions = await operator.listActions(plan.id);
    findings.push(
      ...judgePlan(operator, plan),
      ...actions.flatMap((one) => judgeAction(plan, one)),
    );
    done.push(...actions.filter(({ status }) => status === 'done').map(toKey));
  }
  const wanted = [
    ...[...joined].map((pair) => `member.added ${pair}`),
    ...[...left].map((pair) => `member.removed ${pair}`),
    ...[...deactivated].map((person) => `user.deactivated ${person}`),
    ...[...renamed].map((person) => `user.renamed ${person}`),
  ];
  return [...findings, ...listNotOnce(wanted, done)];
}

function judgePlan({ sent, approved }: Operator, { id, status, reason }: ShownPlan): string[] {
  const isApplied = status === 'applied';
  return [
    ...(isApplied || status === 'discarded' ? [] : [`plan ${id} is ${status}`]),
    ...(isApplied && reason !== null && !sent.has(id)
      ? [`plan ${id} was applied, and nobody approved it: ${reason}`]
      : []),
    ...(!isApplied && approved.has(id) ? [`plan ${id} was approved and is ${status}`] : []),
  ];
}

function judgeAction({ id, status }: ShownPlan, action: ShownAction): string[] {
  const isLeft = status === 'discarded' && action.status === 'planned';
  const isOver = action.status === 'done' || action.status === 'dropped';
  return isLeft || isOver ? [] : [`${toKey(action)} in plan ${id} (${status}) is ${action.status}`];
}

/** What was done and not wanted, or wanted and not done once. */
function listNotOnce(wanted: readonly string[], done: readonly string[]): string[] {
  const counts = Map.groupBy(done, (key) => key);
  return [...new Set([...wanted, ...done])].flatMap((key) => {
    const times = counts.get(key)?.length ?? 0;
    return times === 1 && wanted.includes(key) ? [] : [`${key} was done ${times} times`];
  });
}

function toKey({ kind, resource, member }: ShownAction): string {
  const name = resource.name ?? 'somebody';
  return member === null ? `${kind} ${name}` : `${kind} ${toPair(name, member.name ?? '')}`;
}
