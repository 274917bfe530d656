import type { Section } from '../../upstream/operations/operation.ts';

/** The right that opens one section of the service, and the effect of its absence. */
export interface SectionRights {
  /** Its name for operators. */
  readonly title: string;
  /** The administrative section of the service to which the token's owner needs access. */
  readonly right: string;
  /** The module that the company must have bought. */
  readonly module: string;
  /** The effect of its absence, a clause. */
  readonly without: string;
}

const members = '"Members"';
const groupModule = '"User group management"';

const people: SectionRights = {
  title: 'people',
  right: members,
  module: 'SCIM provisioning',
  without: 'people cannot be provisioned',
};

const groups: SectionRights = {
  title: 'groups',
  right: members,
  module: groupModule,
  without: 'groups cannot be provisioned',
};

const table: ReadonlyMap<string, SectionRights> = new Map<Section, SectionRights>([
  ['users', people],
  ['groups', groups],
  ['members', { ...groups, title: 'group members', without: 'groups cannot get members' }],
  [
    'admins',
    { ...groups, title: 'group administrators', without: 'their administrators cannot be set' },
  ],
  [
    'companyUsers',
    {
      title: 'company users',
      right: members,
      module: 'the administration of people',
      without: 'roles and licences are unknown, so only `protect.users` guards owners',
    },
  ],
  [
    'audit',
    {
      title: 'audit log',
      right: '"Audit log"',
      module: 'the audit log',
      without: 'changes of others are seen later and without their author',
    },
  ],
]);

/** The rights of a section; one that the table does not know is described in general words. */
export function getSectionRights(section: string): SectionRights {
  return (
    table.get(section) ?? {
      title: section,
      right: 'that it belongs to',
      module: section,
      without: `${section} cannot be used`,
    }
  );
}

/**
 * The remedy for a section that the service refuses with this status: 402 the module is not bought, 403 the token's owner
 * lacks a right (as the service documents it, a token has the rights of its owner).
 */
export function toRefusalRemedy(
  { right, module }: SectionRights,
  status: number | undefined,
): string {
  switch (status) {
    case 402:
      return `The company's tariff lacks it: buy ${module}.`;
    case 403:
      return `Give the owner of the token access to the administrative section ${right}; at first only the company's owner has it.`;
    default:
      return 'The service does not offer it at this address: check `upstream.url`, and apiVersion of `upstream.quirks`.';
  }
}
