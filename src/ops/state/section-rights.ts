const MEMBERS = '"Members"';
const GROUPS = '"User group management"';

/** Of each section its title, the right and the module that it needs, and the effect of their absence. */
const RIGHTS: Readonly<Record<string, readonly [string, string, string, string]>> = {
  users: ['people', MEMBERS, 'SCIM provisioning', 'people cannot be provisioned'],
  groups: ['groups', MEMBERS, GROUPS, 'groups cannot be provisioned'],
  members: ['group members', MEMBERS, GROUPS, 'groups cannot get members'],
  admins: ['group administrators', MEMBERS, GROUPS, 'their administrators cannot be set'],
  companyUsers: [
    'company users',
    MEMBERS,
    'the administration of people',
    'roles and licences are unknown, so only `protect.users` guards owners',
  ],
  audit: [
    'audit log',
    '"Audit log"',
    'the audit log',
    'changes of others are seen later and without their author',
  ],
};

/** The rights of a section; one that the table does not know is described in general words. */
export function getSectionRights(section: string) {
  const general = [section, 'that it belongs to', section, `${section} cannot be used`] as const;
  const [title, right, module, without] = RIGHTS[section] ?? general;
  return { title, right, module, without };
}

/** The remedy for a section that is refused: 402 the module is not bought, 403 the token's owner lacks a right. */
export function toRefusalRemedy(
  { right, module }: ReturnType<typeof getSectionRights>,
  status: number | undefined,
): string {
  if (status === 402) return `The company's tariff lacks it: buy ${module}.`;
  if (status === 403) {
    return `Give the owner of the token access to the administrative section ${right}; at first only the company's owner has it.`;
  }
  return 'The service does not offer it at this address: check `upstream.url`, and apiVersion of `upstream.quirks`.';
}
