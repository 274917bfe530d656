import { CheckSkipped } from './answer.ts';
import { access } from './checks/access.ts';
import type { Check } from './checks/check.ts';
import { discovery } from './checks/discovery.ts';
import { groups } from './checks/groups.ts';
import { lists } from './checks/lists.ts';
import { userChanges } from './checks/user-changes.ts';
import { users } from './checks/users.ts';

/** Where a requirement is published. */
export interface Source {
  readonly document: string;
  /** Test, section or sentence of it. */
  readonly part: string;
  readonly url: string;
  /** Day on which it was read. */
  readonly read: string;
}

/** A check of a gate. */
export interface GateCheck extends Check {
  readonly source: Source;
}

/** A condition of a provider before it lists or trusts a target. */
export interface Gate {
  readonly title: string;
  /** Profile of the credential that it is run with. */
  readonly profile: 'lenient' | 'strict';
  readonly checks: readonly GateCheck[];
}

const READ = '2026-11-25';

/** Names a document, for its parts. */
function from(document: string, url: string) {
  return (part: string, check: Check): GateCheck => ({
    ...check,
    source: { document, part, url, read: READ },
  });
}

const OKTA = 'https://developer.okta.com';
const oktaSpec = from(
  'Okta SCIM 2.0 SPEC Test (exported 2024-05-13)',
  `${OKTA}/standards/SCIM/SCIMFiles/Okta-SCIM-20-SPEC-Test.json`,
);
const oktaCrud = from(
  'Okta SCIM 2.0 CRUD Test (exported 2016-11-07)',
  `${OKTA}/standards/SCIM/SCIMFiles/Okta-SCIM-20-CRUD-Test.json`,
);
const oktaGuide = from(
  'Okta, Build your SCIM API service',
  `${OKTA}/docs/guides/scim-provisioning-integration-prepare/main/`,
);
const oktaReference = from(
  'Okta and SCIM Version 2.0',
  `${OKTA}/docs/api/openapi/okta-scim/guides/scim-20/`,
);
const oktaQuestions = from('Okta, SCIM technical questions', `${OKTA}/docs/concepts/scim/faqs/`);
const LOGIC_APP =
  'https://github.com/AzureAD/SCIMReferenceCode/blob/master/Microsoft.SCIM.LogicAppValidationTemplate/StandardLogicApp/SCIM-Validation-Test-Overview.md';
const LEARN = 'https://learn.microsoft.com/entra/identity';
const entraTest = from('Microsoft, SCIM Provisioning Validation, Test Overview', LOGIC_APP);
const entraGallery = from(
  'Microsoft, User provisioning requirements for Microsoft Entra App Gallery (2026-08-26)',
  `${LEARN}/enterprise-apps/app-gallery-user-provisioning-requirements`,
);
const entraList = from(
  'Microsoft, Entra App Gallery AI Validation Checklist (May 2026)',
  'https://github.com/AzureAD/SCIMReferenceCode/blob/master/Entra-AppGallery-AI-Validation-Checklist.md',
);
const entraGuide = from(
  'Microsoft, Develop and plan provisioning for a SCIM endpoint',
  `${LEARN}/app-provisioning/use-scim-to-provision-users-and-groups`,
);
const entraIssues = from(
  'Microsoft, Known issues and resolutions with SCIM 2.0 protocol compliance',
  `${LEARN}/app-provisioning/application-provisioning-config-problem-scim-compatibility`,
);
const ipsie = from(
  'OpenID, IPSIE AL SCIM 2.0 Profile Draft 00 (2026-09-08)',
  'https://openid.net/specs/ipsie-al-scim-profile-1_0.html',
);
const rfc7644 = from('RFC 7644', 'https://www.rfc-editor.org/rfc/rfc7644');
const interop = from(
  'SCIM 2.0 Interoperability Profile (draft-zollner-scim-interop-profile)',
  'https://datatracker.ietf.org/doc/draft-zollner-scim-interop-profile/',
);

/** A requirement that nobody can show from here. */
function untried(id: string, title: string, why: string): Check {
  return {
    ...{ id, title },
    run: async () => {
      throw new CheckSkipped(why);
    },
  };
}

const okta: Gate = {
  title: 'Okta: the SPEC and CRUD tests, and what its documents ask of groups',
  profile: 'lenient',
  checks: [
    oktaGuide('API endpoints', access.https),
    oktaGuide('Base URL', access.baseUrl),
    oktaSpec('Required Test: Create Okta user with realistic values', users.create),
    oktaSpec('Required Test: Test Users endpoint', users.first),
    oktaSpec('Required Test: Get Users/{{id}}; Verify that user was created', users.read),
    oktaSpec(
      "Required Test: Test invalid User by username; Make sure random user doesn't exist",
      users.unknownName,
    ),
    oktaSpec('Required Test: Test invalid User by ID; Check status 404', users.unknownId),
    oktaSpec('Required Test: Test invalid User by ID, the detail', users.detail),
    oktaSpec(
      'Required Test: Expect failure when recreating user with same values; RFC 7644 §3.3',
      users.duplicate,
    ),
    oktaSpec(
      'Required Test: Username Case Sensitivity Check; RFC 7643 §4.1.1',
      users.findInCapitals,
    ),
    oktaSpec('Optional Test: Verify Groups endpoint', groups.listQuickly),
    oktaSpec('Required Test: Check status 401', access.refused),
    oktaCrud('Verify if user is created in SCIM App', users.find),
    oktaCrud('Verify firstname update in SCIM App', userChanges.replace),
    oktaCrud('Verify if user is deactivated in SCIM App', userChanges.deactivateWithoutPath),
    oktaCrud('Verify if user is reactivated in SCIM App', userChanges.reactivateWithoutPath),
    oktaReference('Update a specific User (PATCH), the password', userChanges.password),
    oktaReference('Retrieve Users', lists.userPages),
    oktaReference('Create Groups', groups.create),
    oktaQuestions('How much support is required for filtering results?', groups.find),
    oktaReference('Update a specific Group name', groups.rename),
    oktaReference('Update specific Group membership (PATCH)', groups.swapMembers),
    oktaReference('Update specific Group membership (PUT)', groups.replaceMembers),
    oktaReference('Delete a specific Group', groups.remove),
    rfc7644('§8.1', users.contentType),
  ],
};

const entra: Gate = {
  title: 'Microsoft Entra: the gallery’s requirements and its validation tests',
  profile: 'lenient',
  checks: [
    entraGuide('General: HTTPS', access.https),
    entraTest('15 Schema_Discoverability_Test', discovery.schemas),
    entraList('2.1.8 Schema Discovery', discovery.config),
    entraList('2.1.8 Schema Discovery', discovery.resourceTypes),
    entraGallery('A successful response with zero results', users.unknownName),
    entraGuide('Get User: user not found', users.unknownId),
    entraGuide('General: Content-Type of responses', users.contentType),
    entraTest('1 Create_User_Test, 17 SCIM_User_Create_Test', users.create),
    entraGuide('Retrieve a known resource', users.read),
    entraGuide('Get User by query', users.find),
    entraGuide('Query users: externalId', users.findByExternalId),
    entraGuide('/Users: attributes of uniqueness', users.findByMatchingEmail),
    entraTest('2 Update_User_Test, 18 SCIM_User_Update_Test', userChanges.patch),
    entraTest('16 SCIM_Null_Update_Test', userChanges.clear),
    entraTest('3 Disable_User_Test', userChanges.deactivate),
    entraIssues('Requests made to disable users, without the flag', userChanges.deactivateAsText),
    entraGuide('Restoring the user active=true', userChanges.reactivate),
    entraTest('5 User_Update_Manager_Test, 25 SCIM_Update_Manager_Test', userChanges.manager),
    entraList('Test Scenario 3: invalid PATCH', userChanges.invalidPatch),
    entraTest('23 SCIM_User_Pagination_Test', lists.userPages),
    entraTest('8 Create_Group_Test, 19 SCIM_Group_Create_Test', groups.create),
    entraGuide('/Groups: uniqueness of displayName', groups.duplicate),
    entraGuide('Get Group by displayName', groups.findWithoutMembers),
    entraTest('9 Update_Group_Test, 20 SCIM_Group_Update_Test', groups.patch),
    entraTest('11 Group_Update_Add_Member_Test', groups.addMember),
    entraTest('12 Group_Update_Remove_Member_Test', groups.removeMember),
    entraGallery('Several memberships by one PATCH (recommended)', groups.manyMembers),
    entraTest('24 SCIM_Group_Pagination_Test (optional)', lists.groupPages),
    entraGallery('SCIM bulk APIs (recommended)', groups.bulk),
    entraGallery('25 requests per second per tenant', lists.rate),
    entraTest('21 Validate_Credentials_Test', access.clientCredentials),
    entraTest('22 Federated_Identity_Test', access.clientAssertion),
    entraList('Test Scenario 3: a token that is not valid', access.refused),
    entraTest('10 Delete_Group_Test (optional)', groups.remove),
    entraTest('4 Delete_User_Test (optional)', users.remove),
    entraTest('6 Restore_User_Test', users.createAgain),
    entraTest(
      '7 POD_User_Test, 13 POD_Group_Test, 14 Restore_Group_Test',
      untried(
        'provision-on-demand',
        'Provisioning on demand works',
        'Entra itself has to send it; its requests are those of the other checks',
      ),
    ),
    entraList('Test Scenario 3: rate limits', lists.limits),
  ],
};

const ipsieGate: Gate = {
  title: 'OpenID IPSIE: the SCIM profile of the account lifecycle, AL1 to AL3',
  profile: 'strict',
  checks: [
    interop('Transport Security', access.https),
    ipsie('§4.1 metadata with a token_endpoint', access.metadata),
    ipsie('§4.1 client_credentials with RFC 7523 §2.2, scope scim', access.clientAssertion),
    ipsie('§4.2 the SCIM 2.0 Interoperability Profile', discovery.interopProfile),
    interop('Attribute and Schema Handling', userChanges.unknownAttribute),
    interop('Filtering', users.unknownFilter),
    ipsie(
      '§4.2 no local modifications',
      untried(
        'no-local-changes',
        'Nobody changes users in the service itself',
        'the service cannot be closed; DRIFT_POLICY says what becomes of such changes (docs/drift.md)',
      ),
    ),
    ipsie('§4.3 429 and Retry-After', lists.limits),
    ipsie('§4.3 25 requests per second', lists.rate),
    ipsie('§4.3 /Bulk', groups.bulk),
    ipsie('§4.3, §6.1.4 several attributes in one PATCH', userChanges.patch),
    ipsie('§5.1 deactivate', userChanges.deactivate),
    ipsie('§5.1 reactivate', userChanges.reactivate),
    ipsie(
      '§5.1 sessions and tokens within 5 minutes',
      untried(
        'sessions-ended',
        'Sessions and tokens of a deactivated user end within five minutes',
        'sessions are the service’s; scim-bridge leavers proves when each account was deactivated (docs/leavers.md)',
      ),
    ),
    ipsie('§5.3 by id', users.read),
    ipsie('§5.4 userName', users.find),
    ipsie('§5.4 externalId', users.findByExternalId),
    ipsie('§5.4 emails[value eq …]', users.findByEmail),
    ipsie('§5.4 emails[type eq "work" and value eq …]', users.findByWorkEmail),
    ipsie('§6.1.1 the schema of users', discovery.userSchema),
    ipsie('§6.1.2 no password', discovery.noPassword),
    ipsie('§6.1.3 create', users.create),
    rfc7644('§3.3 Location', users.location),
    ipsie('§6.1.5 all users', users.list),
    ipsie('§6.1.5 pages of 1,000 at most (should)', discovery.pageLimit),
    ipsie('§6.1.5 cursor-based pagination (recommended)', lists.cursorPages),
    ipsie('§6.2.1 the schema of groups', discovery.groupSchema),
    ipsie('§6.2.1 one displayName, one group (should)', groups.duplicate),
    ipsie('§6.2.2 groups without members', groups.create),
    ipsie('§6.2.3 all groups', groups.list),
    ipsie('§6.2.4 by id', groups.read),
    ipsie('§6.2.5 displayName', groups.find),
    ipsie('§6.2.5 externalId', groups.findByExternalId),
    ipsie('§6.2.5 members[value eq …]', groups.findByMember),
    ipsie('§6.2.6 update', groups.patch),
    ipsie('§6.2.6 fifty operations on members', groups.manyOperations),
    ipsie('§8 errors', users.unknownId),
    ipsie('§4.1 every request is authorised', access.refused),
    interop('Data Format and HTTP Headers', users.contentType),
    rfc7644('§4 discovery, which the profile wants in §4.2', discovery.config),
    rfc7644('§4 discovery', discovery.resourceTypes),
    rfc7644('§4 discovery', discovery.schemas),
    rfc7644('§3.14 versions, which /ServiceProviderConfig claims', userChanges.etag),
    ipsie('§5.2 delete', users.remove),
    ipsie('§5.2 the same username again', users.createAgain),
    ipsie(
      '§7 AL3',
      untried('al3', 'Roles of the application are exposed', 'the draft has no requirement yet'),
    ),
  ],
};

/** Every gate, by its name. */
export const gates = { okta, entra, ipsie: ipsieGate } as const satisfies Record<string, Gate>;

/** Name of a gate. */
export type GateName = keyof typeof gates;
