import { findGroup } from '../../store/groups/groups.ts';
import { listHeldChanges } from '../../store/plans/actions.ts';
import { listMemberLinksOf, type SeqLink } from '../../store/resources/explained.ts';
import type { Db } from '../../store/store.ts';
import { OLDEST, type PartQuery, readList } from '../http/list-query.ts';
import { ok, problem, route } from '../http/route.ts';
import type { ExplainedLink } from '../schemas/resources.ts';
import type { OpsSources } from '../sources.ts';
import { toExplainedLink } from './fields.ts';

/** The request for the members of a group. */
export const memberRoutes = [
  route({
    method: 'get',
    tag: 'People and groups',
    path: '/groups/{id}/members',
    summary: 'Members of a group, wanted or only seen, in order of joining.',
    filters: {},
    answers: { 200: 'MemberList', 404: 'Problem' },
    async handle({ store: { read: db } }: OpsSources, { params: { id }, query }) {
      const isGroup = (await findGroup(db, id)) !== undefined;
      if (!isGroup) return problem(404, 'not-found', 'No group has this id.');
      const held = await listHeld(db, id);
      const read = ({ from: afterSeq, limit }: PartQuery) =>
        listMemberLinksOf(db, id, { afterSeq, limit });
      return ok(await readList(query, OLDEST, read, (link) => toMember(link, held)));
    },
  }),
] as const;

/** Members whose change a plan holds back. */
async function listHeld(db: Db, groupId: string): Promise<ReadonlySet<string>> {
  const changes = await listHeldChanges(db, [groupId]);
  const ofMembers = changes.filter(({ kind }) => kind.startsWith('member.'));
  return new Set(ofMembers.map(({ member_id }) => member_id));
}

function toMember(link: SeqLink, held: ReadonlySet<string>): ExplainedLink {
  const member = toExplainedLink(link, 'provider');
  const isHeld = member.standing === 'drifted' && held.has(member.id);
  return isHeld ? { ...member, standing: 'held' } : member;
}
