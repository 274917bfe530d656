import { operations, shape } from './row.ts';

/** DGR: a document group. */
const documentGroup = shape`
  DocumentGroup: uid id title created updated archived company_id author_id parent_entity_uid
  parent_group_id entity_type sort_order access for_everyone_access_role_id hostname redirect_url
  key icon_type icon_value icon_color public news_feed hidden_on_public_site path index_document_uid
`;

/** DOC without its content and the access record, as lists show a document. */
const documentListed = shape`
  ListedDocument: uid id title created updated archived company_id author_id parent_entity_uid
  entity_type sort_order access for_everyone_access_role_id version published_version publish_date
  public hidden_on_public_site settings key redirect_url icon_type icon_value icon_color path
  schema_version notification_period_start notification_period_end group_id
`;

/** DOC: a document. */
const document = shape`Document: ${documentListed} data access_record`;

/** Documents. */
export const documents = operations('documents', '/documents')`
  createNewDocument POST => ${document}
    body sort_order* title parent_entity_uid for_everyone_access_role_id clone_uid key clone_version
    source field-notes
  removeDocument DELETE /{document_uid} => ${documentListed}
    about Deletes a document. One that has others below it is known to be refused (400).
    source field-notes
  retrieveDocument GET /{document_uid} => ${document}
    about One document. The documents give neither method nor path; these are the ones in use.
  retrieveListOfDocuments GET => [${documentListed}]
    about Documents without their content. With \`version: 2\` the answer is \`{ result, position
      }\`, and \`start_position\` goes on from a position.
    query query fields:string start_position offset limit version condition include_search_preview
  updateDocument PATCH /{document_uid} => ${document}
    body title for_everyone_access_role_id:string sort_order backup_version publish_date
      parent_entity_uid redirect_url key icon_value notification_period_start
      notification_period_end slug data:object settings access public hidden_on_public_site
      published_version icon_type:emoji|material_icon|null icon_color
`;

/** Groups of documents: folders, and sites when they are public. */
export const documentGroups = operations('documentGroups', '/document-groups')`
  createNewDocumentGroup POST => ${documentGroup} access_record
    body title* parent_entity_uid for_everyone_access_role_id key sort_order
  removeDocumentGroup DELETE /{document_group_uid} => ${documentGroup}
    about Deletes a document group. One that holds documents is known to be refused (400).
  retrieveDocumentGroup GET /{document_group_uid} => ${documentGroup} access_record
  retrieveListOfDocumentGroups GET => [${documentGroup}]
    about Document groups. With \`version: 2\` the answer is \`{ result, position }\`, and
      \`start_position\` goes on from a position.
    query query start_position offset limit version condition role
  updateDocumentGroup PATCH /{document_group_uid} => ${documentGroup} access_record
    about Changes a document group. Neither body nor answer is documented; these are the ones in
      use. A key or host name in use answers 409.
    body title~ access~:string parent_entity_uid~ for_everyone_access_role_id~ hostname~
      redirect_url~ key~ icon_type~ icon_value~ index_document_uid~ sort_order~ icon_color~
      hidden_on_public_site~ news_feed~
`;

/** The forms that the content of documents has. */
export const documentSchemas = operations('documentSchemas', '/document-schemas/{id}', {
  pathParameters: { id: 'string' },
})`
  getDocumentDataSchema GET => $schema $id title description allOf version definitions
    about One schema by its version: \`latest\`, \`v1\`, …
    query format
    source field-notes
`;
