import type { SandboxService } from '../../src/sandbox/service.ts';
import { type Trespasses, toActivityKey, toMemberKey } from './administrator.ts';
import { type Company, toAddress } from './company.ts';

/** What the bridge did in the service more often than anybody asked for it: by what the service's own log says. */
export function listEffectFindings(
  service: SandboxService,
  { people, groups }: Company,
  trespasses: Trespasses,
): string[] {
  const counts = countOwn(service);
  const findMore = (action: string, times: number) => {
    const done = counts.get(action) ?? 0;
    return done <= times ? [] : [`${action}: done ${done} times, asked for ${times} times`];
  };
  const countTrespasses = (key: string) => trespasses.get(key) ?? 0;
  const ofPeople = people.flatMap((person) => {
    const { address, active, suspended } = person;
    const times = countTrespasses(toActivityKey(person));
    return [
      ...findMore(`invite ${address}`, person.origin === 'new' ? 1 : 0),
      ...findMore(
        `activate ${address}`,
        active.countAsked(true) + suspended.countAsked(false) + times,
      ),
      ...findMore(
        `deactivate ${address}`,
        active.countAsked(false) + suspended.countAsked(true) + times,
      ),
    ];
  });
  const ofGroups = groups.flatMap((group) => {
    const sum = (action: string) =>
      [...group.names].reduce((total, name) => total + (counts.get(`${action} ${name}`) ?? 0), 0);
    const isMany = (action: string, times: number) =>
      sum(action) <= times
        ? []
        : [`${action} group ${group.n}: done ${sum(action)} times, asked for ${times} times`];
    return [
      ...isMany('create', group.origin === 'new' ? group.isThere.countAsked(true) : 0),
      ...isMany('delete', group.origin === 'new' ? group.isThere.countAsked(false) : 0),
      ...people.flatMap((person) => {
        const { address } = person;
        const [member, admin] = [group.members.get(person), group.admins.get(person)];
        const times = countTrespasses(toMemberKey(group, person));
        const ofLinks = (['add_user', 'delete_user', 'add_admin', 'delete_admin'] as const).flatMap(
          (action) => {
            const fact = action.endsWith('user') ? member : admin;
            const asked = fact?.countAsked(action.startsWith('add')) ?? 0;
            const done = [...group.names].reduce(
              (total, name) => total + (counts.get(`${action} ${name} ${address}`) ?? 0),
              0,
            );
            const most = asked + (action.endsWith('user') ? times : 0);
            return done <= most
              ? []
              : [
                  `${action} ${address} in group ${group.n}: done ${done} times, asked for ${most} times`,
                ];
          },
        );
        return ofLinks;
      }),
    ];
  });
  return [...ofPeople, ...ofGroups];
}

/** What the account of the bridge did, by action and whom. */
function countOwn(service: SandboxService): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { authorId, action, details } of service.auditEvents()) {
    if (authorId !== service.owner.id) continue;
    const { email, group_name: group } = details;
    const key = [
      action,
      ...(group === undefined ? [] : [group]),
      ...(email === undefined ? [] : [toAddress(String(email))]),
    ].join(' ');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
