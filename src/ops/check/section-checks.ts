import type { Section } from '../../upstream/operations/operation.ts';
import { getSectionRights, toRefusalRemedy } from '../state/section-rights.ts';
import type { Evidence } from './evidence.ts';
import type { ListSample } from './list-sample.ts';
import type { Look } from './look.ts';
import { describePageLimit } from './page-limit.ts';
import type { CheckResult } from './report.ts';
import { toTrouble } from './trouble.ts';

/** One right to be proved by a read. */
interface SectionProbe {
  readonly id: string;
  readonly title: string;
  readonly section: Section;
  /** The status of a refused read: `failed` where the bridge cannot do its task, `warning` where it does less. */
  readonly refused: 'failed' | 'warning';
  readonly find: (evidence: Evidence) => Look<string>;
}

const probes: readonly SectionProbe[] = [
  {
    id: 'users',
    title: 'people (SCIM)',
    section: 'users',
    refused: 'failed',
    find: ({ survey }) => describeList(survey.users, 'people'),
  },
  {
    id: 'groups.scim',
    title: 'groups (SCIM)',
    section: 'groups',
    refused: 'failed',
    find: ({ survey }) => describeList(survey.groups.scimList, 'groups'),
  },
  {
    id: 'groups.rest',
    title: 'groups (REST)',
    section: 'groups',
    refused: 'failed',
    find: ({ survey }) => describeList(survey.groups.restList, 'groups'),
  },
  {
    id: 'members',
    title: 'group members',
    section: 'members',
    refused: 'failed',
    find: ({ survey }) => describePeopleOfGroup(survey.groups.members, 'members'),
  },
  {
    id: 'admins',
    title: 'group administrators',
    section: 'admins',
    refused: 'warning',
    find: ({ survey }) => describePeopleOfGroup(survey.groups.admins, 'administrators'),
  },
  {
    id: 'companyUsers',
    title: 'company users',
    section: 'companyUsers',
    refused: 'warning',
    find: ({ survey }) => describeList(survey.company.users, 'people'),
  },
  {
    id: 'audit',
    title: 'audit log',
    section: 'audit',
    refused: 'warning',
    find: ({ survey }) => describeList(survey.company.audit, 'events'),
  },
];

/** Checks of the sections of the service, with the right that opens a refused one; those never asked are left out. */
export function listSectionChecks(evidence: Evidence): CheckResult[] {
  return probes.flatMap((probe) => toCheck(probe, evidence) ?? []);
}

function toCheck(probe: SectionProbe, evidence: Evidence): CheckResult | undefined {
  const { id, title, refused, section } = probe;
  const row = { id, title };
  const look = probe.find(evidence);
  if (look.kind === 'skipped') return undefined;
  if (look.kind === 'seen') return { ...row, status: 'ok', detail: look.value };
  const { error } = look;
  if (isUnproved(probe, evidence, error.code)) {
    const detail = 'not refused, but no group could be seen that would prove it';
    return { ...row, status: 'warning', detail, remedy: 'Check again when a group can be seen.' };
  }
  const rights = getSectionRights(section);
  const trouble = toTrouble(error);
  return {
    ...row,
    status: refused,
    detail: `${trouble.detail}; ${rights.without}`,
    remedy: error.code === 'not-permitted' ? toRefusalRemedy(rights, error.status) : trouble.remedy,
  };
}

/** A group that cannot exist was asked for: that it is not found, or no proper id, is what was expected. */
function isUnproved({ section }: SectionProbe, { survey }: Evidence, code: string): boolean {
  const isOfGroup = section === 'members' || section === 'admins';
  return isOfGroup && !survey.groups.hasGroup && (code === 'not-found' || code === 'refused');
}

function describeList(look: Look<ListSample<unknown>>, noun: string): Look<string> {
  if (look.kind !== 'seen') return look;
  const { items, total } = look.value;
  const count = total === undefined ? `${items.length} ${noun} seen` : `${total} ${noun}`;
  return { kind: 'seen', value: `${count}; ${describePageLimit(look.value)}` };
}

function describePeopleOfGroup(look: Look<readonly unknown[]>, noun: string): Look<string> {
  if (look.kind !== 'seen') return look;
  return { kind: 'seen', value: `${look.value.length} ${noun} in the group looked at` };
}
