import { getChangeRow } from '../../domain/change.ts';
import { type ActionKey, listHeldChanges } from '../../store/plans/actions.ts';
import type { Db } from '../../store/store.ts';
import type { ExplainedField, ExplainedLink, Explanation } from '../schemas/resources.ts';

/** Names the differences that a plan holds back: they are not drift. */
export async function withHeld(db: Db, explanation: Explanation): Promise<Explanation> {
  const { id, fields, groups, admins } = explanation;
  const own = await listHeldChanges(db, [id]);
  const held = new Set<string>(
    own.flatMap(({ kind, member_id }) => [...[getChangeRow(kind).about].flat(), member_id]),
  );
  const toField = (one: ExplainedField): ExplainedField =>
    one.standing === 'drifted' && held.has(one.field) ? { ...one, standing: 'held' } : one;
  const groupIds = (groups ?? []).map((one) => one.id);
  const places = await listHeldChanges(db, groupIds);
  const toGroup = (link: ExplainedLink) =>
    toLink(link, places, { kind: 'member.', groupId: link.id, memberId: id });
  const toAdmin = (link: ExplainedLink) =>
    toLink(link, own, { kind: 'admin.', groupId: id, memberId: link.id });
  return {
    ...explanation,
    fields: fields.map(toField),
    ...(groups !== undefined && { groups: groups.map(toGroup) }),
    ...(admins !== undefined && { admins: admins.map(toAdmin) }),
  };
}

interface Place {
  readonly kind: 'member.' | 'admin.';
  readonly groupId: string;
  readonly memberId: string;
}

function toLink(
  link: ExplainedLink,
  held: readonly ActionKey[],
  { kind, groupId, memberId }: Place,
): ExplainedLink {
  const isHeld = held.some(
    (one) => one.kind.startsWith(kind) && one.resource_id === groupId && one.member_id === memberId,
  );
  return isHeld && link.standing === 'drifted' ? { ...link, standing: 'held' } : link;
}
