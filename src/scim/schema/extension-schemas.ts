import { GROUP_EXTENSION, USER_EXTENSION } from '../../domain/extensions.ts';
import { attribute, complexAttribute, defineSchema, multiValuedAttribute } from './definition.ts';
import { userElement } from './group-schema.ts';

/** The enterprise User extension of RFC 7643 §4.3. The bridge keeps it; the service cannot. */
export const enterpriseDefinition = defineSchema(
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  'EnterpriseUser',
  'What companies know of their people',
  [
    attribute('string', 'employeeNumber', 'The number of the person in the company.'),
    attribute('string', 'costCenter', 'The cost center.'),
    attribute('string', 'organization', 'The organization.'),
    attribute('string', 'division', 'The division.'),
    attribute('string', 'department', 'The department.'),
    complexAttribute('manager', 'The manager. Kept as sent: it need not be a user known here.', [
      attribute('string', 'value', 'The id of the manager.', { caseExact: true }),
      attribute('reference', '$ref', 'The URI of the manager.', {
        referenceTypes: ['User'],
        caseExact: true,
      }),
      attribute('string', 'displayName', 'The name of the manager.', { mutability: 'readOnly' }),
    ]),
  ],
);

/** Extension with the attributes that the service has for a user beyond the core schema. */
export const workManagementUserDefinition = defineSchema(
  USER_EXTENSION,
  'WorkManagementUser',
  'What the work-management service has for a person beyond the core schema',
  [
    attribute(
      'integer',
      'appsPermissions',
      'Which applications the licence covers, as bits: 1 full, 2 guest, 4 service desk. The service refuses others.',
    ),
    attribute(
      'boolean',
      'temporarilyInactive',
      'Whether the user is suspended. Where it is cleared, it is false.',
    ),
    attribute('boolean', 'virtual', 'Whether the account stands for nobody.', {
      mutability: 'readOnly',
    }),
    attribute('integer', 'role', 'The role in the company.', { mutability: 'readOnly' }),
  ],
);

/** Extension with the attributes that the service has for a group beyond the core schema. */
export const workManagementGroupDefinition = defineSchema(
  GROUP_EXTENSION,
  'WorkManagementGroup',
  'What the work-management service has for a group beyond the core schema',
  [
    attribute(
      'integer',
      'permissions',
      'What members may do in the company, as bits. A provider sets only those that the operator allows (GROUPS_PERMISSIONS_MAX), by default none.',
    ),
    attribute(
      'boolean',
      'addToCardsAndSpacesEnabled',
      'Whether the group can be added to cards and spaces.',
    ),
    multiValuedAttribute(
      'admins',
      'The users who run the group. They are added and removed as a whole.',
      userElement(),
    ),
  ],
);
