import { findGroup } from '../../store/groups/groups.ts';
import { listHeldChanges } from '../../store/plans/actions.ts';
import { listMemberLinksOf, type SeqLink } from '../../store/resources/explained.ts';
import type { Db, Part } from '../../store/store.ts';
import { OLDEST, type PartQuery, readList } from '../http/list-query.ts';
import { ok, problem, route } from '../http/route.ts';
import type { ExplainedLink } from '../schemas/resources.ts';
import { toExplainedLink } from './fields.ts';

/** Members of groups, with what is wanted and what was seen. */
export interface MemberSource {
  /** False: there is no such group. */
  readonly isGroup: (groupId: string) => Promise<boolean>;
  /** Members whose change a plan holds back. */
  readonly listHeld: (groupId: string) => Promise<ReadonlySet<string>>;
  readonly list: (groupId: string, page: Part) => Promise<readonly SeqLink[]>;
}

/** The members that a store knows. */
export function createMemberSource(db: Db): MemberSource {
  return {
    isGroup: async (groupId) => (await findGroup(db, groupId)) !== undefined,
    async listHeld(groupId) {
      const changes = await listHeldChanges(db, [groupId]);
      const ofMembers = changes.filter(({ kind }) => kind.startsWith('member.'));
      return new Set(ofMembers.map(({ member_id }) => member_id));
    },
    list: (groupId, page) => listMemberLinksOf(db, groupId, page),
  };
}

interface Needs {
  readonly members: MemberSource;
}

/** The request for the members of a group. */
export const memberRoutes = [
  route({
    method: 'get',
    tag: 'People and groups',
    path: '/groups/{id}/members',
    summary: 'Members of a group, wanted or only seen, in order of joining.',
    filters: {},
    answers: { 200: 'MemberList', 404: 'Problem' },
    async handle({ members }: Needs, { params: { id }, query }) {
      if (!(await members.isGroup(id))) return problem(404, 'not-found', 'No group has this id.');
      const held = await members.listHeld(id);
      const read = ({ from: afterSeq, limit }: PartQuery) => members.list(id, { afterSeq, limit });
      return ok(await readList(query, OLDEST, read, (link) => toMember(link, held)));
    },
  }),
] as const;

function toMember(link: SeqLink, held: ReadonlySet<string>): ExplainedLink {
  const member = toExplainedLink(link, 'provider');
  const isHeld = member.standing === 'drifted' && held.has(member.id);
  return isHeld ? { ...member, standing: 'held' } : member;
}
