import { listChangedFields } from '../../domain/change.ts';
import { findHandling } from '../../store/credentials/providers.ts';
import { type ActionKey, listHeldChanges } from '../../store/plans/actions.ts';
import { listLinkViews, type SeqLink } from '../../store/resources/explained.ts';
import { findLiveRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { answerKeyed, type KeyedType, listKeyedPaths, readKeyed } from '../http/keyed.ts';
import { OLDEST, type PartQuery, readList } from '../http/list-query.ts';
import { ok, problem, route } from '../http/route.ts';
import type { ExplainedField, ExplainedLink, Explanation } from '../schemas/resources.ts';
import type { OpsSources } from '../sources.ts';
import { explainGroup } from './explain-group.ts';
import { explainUser } from './explain-user.ts';
import { toExplainedLink } from './fields.ts';

const explained = {
  method: 'get',
  tag: 'People and groups',
  answers: { 200: 'Explanation', 404: 'Problem', 409: 'Problem' },
} as const;

/** Requests for the reason of each field, and for the members of a group. */
export const explainRoutes = [
  ...listKeyedPaths('explain').map(({ path, type, of }) =>
    route({
      ...{ ...explained, path },
      summary: `Why each field ${of} is as it is. The key is an id, a userName, an address or a displayName.`,
      handle: (sources: OpsSources, { params }) => explain(sources, params.key, type),
    }),
  ),
  route({
    ...explained,
    path: '/groups/{id}/members',
    summary: 'Members of a group, wanted or only seen, in order of joining.',
    filters: {},
    answers: { 200: 'MemberList', 404: 'Problem' },
    async handle({ store: { read: db } }: OpsSources, { params: { id }, query }) {
      const isGroup = (await findLiveRow(db, { type: 'group', id })) !== undefined;
      if (!isGroup) return problem(404, 'not-found', 'No group has this id.');
      const held = await listHeld(db, id);
      const read = ({ from: afterSeq, limit }: PartQuery) =>
        listLinkViews(db, { list: 'memberships', of: { groupId: id }, afterSeq, limit });
      return ok(await readList(query, OLDEST, read, (link) => toMember(link, held)));
    },
  }),
] as const;

async function explain({ store: { read: db }, rules }: OpsSources, key: string, type: KeyedType) {
  const keyed = await readKeyed(db, key, type, {
    user: async (row) => withHeld(db, await explainUser(db, rules, row)),
    group: async (row) => withHeld(db, await explainGroup(db, rules, row)),
  });
  return answerKeyed(keyed);
}

/** Members whose change a plan holds back. */
async function listHeld(db: Db, groupId: string): Promise<ReadonlySet<string>> {
  const changes = await listHeldChanges(db, [groupId]);
  const ofMembers = changes.filter(({ kind }) => kind.startsWith('member.'));
  return new Set(ofMembers.map(({ member_id }) => member_id));
}

function toMember(link: SeqLink, held: ReadonlySet<string>): ExplainedLink {
  const member = toExplainedLink(link, link.by_rule ? 'inner group' : 'provider');
  const isHeld = member.standing === 'drifted' && held.has(member.id);
  return isHeld ? { ...member, standing: 'held' } : member;
}

/** Names the differences that a plan holds back: they are not drift. */
async function withHeld(db: Db, explanation: Explanation): Promise<Explanation> {
  const { id, provider, fields, groups, admins } = explanation;
  const own = await listHeldChanges(db, [id]);
  const held = new Set<string>(
    own.flatMap(({ kind, member_id }) => [...listChangedFields(kind), member_id]),
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
    handling: provider === null ? null : await findHandling(db, provider),
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
