/** The core schema of users. @see RFC 7643 §4.1 */
export const USER_SCHEMA_URI = 'urn:ietf:params:scim:schemas:core:2.0:User';
/** The core schema of groups. @see RFC 7643 §4.2 */
export const GROUP_SCHEMA_URI = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** Name of a type of SCIM resource. */
export type ResourceName = 'User' | 'Group' | 'Role' | 'Entitlement';
