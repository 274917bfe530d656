import { operations, shape } from './row.ts';
import { card, relatedCard, treeEntity, userShort } from './shared-shapes.ts';

/** CTY: a card type. */
const cardType = shape`
  CardType: company_id letter name color updated created id description_template archived properties
  card_properties suggest_fields
`;

/** CRD1: a card, as lists of children hold it. */
const cardAmongChildren = shape`ChildCard: ${relatedCard} estimate_workload`;

/** CRD4: a card, after a change. */
const cardModified = shape`
  ChangedCard: ${relatedCard} description tag_ids estimate_workload counters_recalculated_at
  import_id owner members
`;

/** A card with its parts. */
const cardWithParts = shape`
  WholeCard: ${cardModified} uid board lane column type checklists blockers slas blocked_at
  blocker_id blocker block_reason children parents files tags external_links cardRole email
`;

/** A card, as its creation answers. The documents break off after `first_moved_to_in_progress_at`; the rest is what is in use. */
const cardCreated = shape`
  CreatedCard: ${card} description counters_recalculated_at estimate_workload owner type
  external_links files checklists
`;

/** Cards. */
export const cards = operations('cards', '/cards')`
  batchUpdateForCards PATCH => id:string
    about Changes all matching cards, as a job of the service; \`id\` names the job. Unsafe to
      repeat: a second job would start. Without any condition it would change every card of the
      company: that takes \`everything: true\`.
    body board_id column_id lane_id owner_id type_id condition:1|2 attributes order_by:unknown
    conditions board_id column_id lane_id owner_id type_id condition
    repeat unsafe
  createNewCard POST => ${cardCreated}
    body title*:number|string board_id* column_id lane_id owner_id responsible_id type_id asap
      due_date_time_present expires_later due_date sort_order description:number|string|null
      size_text external_id owner_email position service_id text_format_type_id properties
  deleteCard DELETE /{card_id} => ${cardModified}
    source field-notes
  retrieveCard GET /{card_id} => ${cardWithParts}
    query broken_api
    source field-notes
  retrieveCardBaselines GET /{card_id}/baselines => [id uid baseline_id planned_start planned_end]
    about The planned times of a card in its baselines, in one answer.
    source field-notes
  retrieveCardList GET => [?]
    about Cards. \`filter\` is an object, or the base64 of its JSON. With \`version: 2\` the answer
      is \`{ result, position }\`, and \`start_position\` goes on from a position. The fields of a
      card here are not known for sure.
    query created_before created_after updated_before updated_after due_date_before due_date_after
      first_moved_in_progress_before first_moved_in_progress_after last_moved_to_done_at_before
      last_moved_to_done_at_after query tag order_by order_direction start_position version type_id
      owner_id responsible_id space_id board_id column_id lane_id condition order_space_id limit
      offset tag_ids type_ids exclude_board_ids exclude_lane_ids exclude_column_ids
      exclude_owner_ids exclude_card_ids column_ids member_ids owner_ids responsible_ids states
      organizations_ids external_id:string|number additional_card_fields search_fields archived asap
      overdue done_on_time with_due_date is_request include_search_preview broken_api
      filter:string|object
    queryStyle filter:base64-json
    source field-notes
  retrieveCardLocationHistory GET /{card_id}/location-history
    source field-notes
    answer [id:string card_id board_id column_id subcolumn_id lane_id sprint_id author_id author
      condition changed]
  updateCard PATCH /{card_id} => ${cardModified}
    about Changes or moves a card. The documents show the end of its body and its answer, without
      its name.
    body title:number|string asap due_date_time_present expires_later blocked sd_new_comment
      ignore_planned_dates_recalculation due_date planned_start planned_end sort_order
      estimate_workload description:number|string|null size_text external_id board_id column_id
      lane_id owner_id type_id prev_card_id service_id condition:1|2 text_format_type_id owner_email
      properties
    source field-notes
`;

/** Kinds of cards. */
export const cardTypes = operations('cardTypes', '/card-types')`
  createNewCardType POST => ${cardType}
    body letter* name* color*:integer properties card_properties suggest_fields
  getCardType GET /{id} => ${cardType}
  getListOfCardTypes GET => [${cardType}]
    query limit offset
  removeCardType DELETE /{id} => ${cardType}
    about Deletes a card type; its cards become cards of another.
    body replace_type_id*
  updateCardType PATCH /{id} => ${cardType}
    body letter name color:integer properties card_properties suggest_fields
`;

const tag = shape`Tag: created updated archived id name company_id color`;

/** Tags of a card. */
export const cardTags = operations('cardTags', '/cards/{card_id}/tags')`
  addTag POST => ${tag}
    body name*
  removeTagFromCard DELETE /{tag_id}
  rertrieveListOfTags GET => [id name color card_id tag_id]
    about The tags of a card, in one answer. The documents spell the name so.
`;

/** Tags of the company. */
export const tags = operations('tags', '/tags', { source: 'field-notes' })`
  addTag POST => ${tag}
    body name*
  retrieveListOfTags GET => [${tag}]
    query limit offset space_id ids:string|integer|integer[]|string[] query
`;

/** Users who work on a card. */
export const cardMembers = operations('cardMembers', '/cards/{card_id}/members')`
  addMemberToCard POST
    body user_id*
    answer id full_name email username avatar_initials_url avatar_uploaded_url initials avatar_type
      lng timezone theme updated type
  removeMemberFromCard DELETE /{id}
  retrieveListOfCardMembers GET => [${userShort} virtual card_id user_id type]
  updateMemberRole PATCH /{id} => created updated card_id user_id type
    body type*
`;

/** Users who may be put on a card. */
export const cardAllowedUsers = operations('cardAllowedUsers', '/cards/{card_id}/allowed-users')`
  retrieveUsersList GET => [${userShort}]
    about The users who may be put on the card. The service is known to ignore paging and to answer
      with all.
    query type:string search orderBy role limit offset
`;

/** Cards below a card. */
export const cardChildren = operations('cardChildren', '/cards/{card_id}/children')`
  addChildren POST => ${cardAmongChildren} has_access_to_space path_data space_id type owner
    about Puts a card below another. \`card_id\` of the path is the parent, that of the body the
      child.
    body card_id*
  removeChildren DELETE /{id}
  retrieveCardChildrenList GET
    answer [${cardAmongChildren} type owner board lane column card_id depends_on_card_id]
`;

/** Service level of a card. */
export const cardSla = operations('cardSla', '/cards/{card_id}/sla-rules-measurements')`
  retrieveCardSlaMeasurements GET => calendars rulesTimeData
`;

/** Places of a card type in the tree of spaces. */
export const cardTypeTreeEntities = operations(
  'cardTypeTreeEntities',
  '/card-types/{type_id}/tree-entities',
)`
  addTreeEntityToCardType POST => id
    body tree_entity_uid*
  deleteTreeEntityFromCardType DELETE /{uid} => none
  getListOfTypeTreeEntities GET => [${treeEntity}]
`;

const recipient = shape`CardRecipient: created updated card_id user_id email unsubscribed updater_id`;

/** Addresses that a service-desk request answers to. */
export const cardServiceDeskExternalRecipients = operations(
  'cardServiceDeskExternalRecipients',
  '/cards/{card_id}/sd-external-recipients',
)`
  addNewRecipient POST => ${recipient}
    body email*
  removeRecipient DELETE /{email} => ${recipient} company_id
`;

/** Services of the service desk. */
export const serviceDeskServices = operations('serviceDeskServices', '/service-desk/services')`
  retrieveServicesList GET
    answer [id name fields_settings archived lng email_settings type_id email_key board_id column_id
      lane_id display_status template_description settings allow_to_add_external_recipients column
      board lane voteCustomProperty]
`;
