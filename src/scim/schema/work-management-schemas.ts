import { GROUP_EXTENSION, USER_EXTENSION } from '../../domain/extensions.ts';
import { attribute, defineSchema, multiValuedAttribute } from './definition.ts';
import { personElement } from './group-schema.ts';

/** What the service has for a person beyond the core schema. */
export const workManagementUserDefinition = defineSchema(
  USER_EXTENSION,
  'WorkManagementUser',
  'What the work-management service has for a person beyond the core schema',
  [
    attribute(
      'integer',
      'appsPermissions',
      'Which applications the licence covers, as bits: 1 full, 2 guest, 4 service desk.',
    ),
    attribute('boolean', 'temporarilyInactive', 'Whether the person is suspended.'),
    attribute('boolean', 'virtual', 'Whether the account stands for nobody.', {
      mutability: 'readOnly',
    }),
    attribute('integer', 'role', 'The role in the company.', { mutability: 'readOnly' }),
  ],
);

/** What the service has for a group beyond the core schema. */
export const workManagementGroupDefinition = defineSchema(
  GROUP_EXTENSION,
  'WorkManagementGroup',
  'What the work-management service has for a group beyond the core schema',
  [
    attribute('integer', 'permissions', 'What members may do in the company, as bits.'),
    attribute(
      'boolean',
      'addToCardsAndSpacesEnabled',
      'Whether the group can be added to cards and spaces.',
    ),
    multiValuedAttribute('admins', 'The people who run the group.', personElement()),
  ],
);
