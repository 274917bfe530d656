import { auditLogs } from './audit-logs.ts';
import { automations } from './automations.ts';
import { boards } from './boards.ts';
import { cardAllowedUsers } from './card-allowed-users.ts';
import { cardBlockerCategories } from './card-blocker-categories.ts';
import { cardBlockerUsers } from './card-blocker-users.ts';
import { cardBlockers } from './card-blockers.ts';
import { cardChecklistItems } from './card-checklist-items.ts';
import { cardChecklists } from './card-checklists.ts';
import { cardChildren } from './card-children.ts';
import { cardComments } from './card-comments.ts';
import { cardExternalLinks } from './card-external-links.ts';
import { cardFiles } from './card-files.ts';
import { cardMembers } from './card-members.ts';
import { cardServiceDeskExternalRecipients } from './card-service-desk-external-recipients.ts';
import { cardSla } from './card-sla.ts';
import { cardTags } from './card-tags.ts';
import { cardTimeLogs } from './card-time-logs.ts';
import { cardTypeTreeEntities } from './card-type-tree-entities.ts';
import { cardTypes } from './card-types.ts';
import { cards } from './cards.ts';
import { checklistItems } from './checklist-items.ts';
import { checklists } from './checklists.ts';
import { columns } from './columns.ts';
import { companyUsers } from './company-users.ts';
import { customDirectories } from './custom-directories.ts';
import { customDirectoryFields } from './custom-directory-fields.ts';
import { customDirectoryRecords } from './custom-directory-records.ts';
import { customProperties } from './custom-properties.ts';
import { customPropertyCatalogValues } from './custom-property-catalog-values.ts';
import { customPropertyCollectiveScoreValues } from './custom-property-collective-score-values.ts';
import { customPropertyCollectiveVoteValues } from './custom-property-collective-vote-values.ts';
import { customPropertySelectValues } from './custom-property-select-values.ts';
import { customPropertyTreeEntities } from './custom-property-tree-entities.ts';
import { documentGroups } from './document-groups.ts';
import { documentSchemas } from './document-schemas.ts';
import { documents } from './documents.ts';
import { groupAdmins } from './group-admins.ts';
import { groupEntities } from './group-entities.ts';
import { groupUsers } from './group-users.ts';
import { groups } from './groups.ts';
import { iterations } from './iterations.ts';
import { lanes } from './lanes.ts';
import type { OperationGroup } from './operation.ts';
import { restrictedAccessCardFiles } from './restricted-access-card-files.ts';
import { restrictedAccessCommentFiles } from './restricted-access-comment-files.ts';
import { restrictedAccessCustomPropertyFiles } from './restricted-access-custom-property-files.ts';
import { scim } from './scim.ts';
import { serviceDeskServices } from './service-desk-services.ts';
import { spaceBoards } from './space-boards.ts';
import { spaceTemplateChecklist } from './space-template-checklist.ts';
import { spaceTemplateChecklistItems } from './space-template-checklist-items.ts';
import { spaceUsers } from './space-users.ts';
import { spaces } from './spaces.ts';
import { sprints } from './sprints.ts';
import { subcolumn } from './subcolumn.ts';
import { tags } from './tags.ts';
import { timesheet } from './timesheet.ts';
import { treeEntities } from './tree-entities.ts';
import { treeEntityRoles } from './tree-entity-roles.ts';
import { userRoles } from './user-roles.ts';
import { users } from './users.ts';

/** Every operation of the service, by the group that the documents put it in: `scim` first, then by the alphabet. */
export const operationGroups = {
  scim,
  auditLogs,
  automations,
  boards,
  cardAllowedUsers,
  cardBlockerCategories,
  cardBlockerUsers,
  cardBlockers,
  cardChecklistItems,
  cardChecklists,
  cardChildren,
  cardComments,
  cardExternalLinks,
  cardFiles,
  cardMembers,
  cardServiceDeskExternalRecipients,
  cardSla,
  cardTags,
  cardTimeLogs,
  cardTypeTreeEntities,
  cardTypes,
  cards,
  checklistItems,
  checklists,
  columns,
  companyUsers,
  customDirectories,
  customDirectoryFields,
  customDirectoryRecords,
  customProperties,
  customPropertyCatalogValues,
  customPropertyCollectiveScoreValues,
  customPropertyCollectiveVoteValues,
  customPropertySelectValues,
  customPropertyTreeEntities,
  documentGroups,
  documentSchemas,
  documents,
  groupAdmins,
  groupEntities,
  groupUsers,
  groups,
  iterations,
  lanes,
  restrictedAccessCardFiles,
  restrictedAccessCommentFiles,
  restrictedAccessCustomPropertyFiles,
  serviceDeskServices,
  spaceBoards,
  spaceTemplateChecklist,
  spaceTemplateChecklistItems,
  spaceUsers,
  spaces,
  sprints,
  subcolumn,
  tags,
  timesheet,
  treeEntities,
  treeEntityRoles,
  userRoles,
  users,
} as const satisfies Readonly<Record<string, OperationGroup>>;
