// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardChecklists.addChecklistToCard`. */
export interface CardChecklistsAddChecklistToCardArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly body?: {
    readonly name?: string | undefined;
    readonly sort_order?: number | undefined;
    readonly items_source_checklist_id?: number | undefined;
    readonly exclude_item_ids?: readonly number[] | undefined;
    readonly source_share_id?: number | undefined;
  } | undefined;
}

/** Answer of `cardChecklists.addChecklistToCard`. */
export interface CardChecklistsAddChecklistToCardAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from its name. */
  policy_id: number | string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `checklist_id`. */
  checklist_id: number | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  deleted: unknown;
  items: unknown;
}

/** Arguments of `cardChecklists.removeChecklistFromCard`. */
export interface CardChecklistsRemoveChecklistFromCardArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
}

/** Answer of `cardChecklists.removeChecklistFromCard`. */
export interface CardChecklistsRemoveChecklistFromCardAnswer {
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `cardChecklists.retrieveCardChecklist`. */
export interface CardChecklistsRetrieveCardChecklistArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
}

/** Answer of `cardChecklists.retrieveCardChecklist`. */
export interface CardChecklistsRetrieveCardChecklistAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  fts_version: unknown;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from its name. */
  policy_id: number | string | null;
  items: unknown;
}

/** Arguments of `cardChecklists.updateChecklist`. */
export interface CardChecklistsUpdateChecklistArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly name?: string | undefined;
    readonly sort_order?: number | undefined;
    readonly card_id?: number | undefined;
  } | undefined;
}

/** Answer of `cardChecklists.updateChecklist`. */
export interface CardChecklistsUpdateChecklistAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from its name. */
  policy_id: number | string | null;
}

/** Operations of `client.cardChecklists`. */
export interface CardChecklistsOperations {
  /**
   * Adds a checklist, empty or with the items of another.
   *
   * `POST /cards/{card_id}/checklists`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`; `body`: `name`, `sort_order`, `items_source_checklist_id`,
   * `exclude_item_ids`, `source_share_id`
   */
  readonly addChecklistToCard: Call<CardChecklistsAddChecklistToCardArguments, CardChecklistsAddChecklistToCardAnswer>;

  /**
   * Removes a checklist from a card.
   *
   * `DELETE /cards/{card_id}/checklists/{id}`
   *
   * @param args `path`: `card_id`, `id`
   */
  readonly removeChecklistFromCard: Call<CardChecklistsRemoveChecklistFromCardArguments, CardChecklistsRemoveChecklistFromCardAnswer | undefined>;

  /**
   * One checklist with its items.
   *
   * `GET /cards/{card_id}/checklists/{id}`
   *
   * @param args `path`: `card_id`, `id`
   */
  readonly retrieveCardChecklist: Call<CardChecklistsRetrieveCardChecklistArguments, CardChecklistsRetrieveCardChecklistAnswer>;

  /**
   * Renames a checklist, puts it elsewhere, or moves it to another card.
   *
   * `PATCH /cards/{card_id}/checklists/{id}`
   *
   * @param args `path`: `card_id`, `id`; `body`: `name`, `sort_order`, `card_id`
   */
  readonly updateChecklist: Call<CardChecklistsUpdateChecklistArguments, CardChecklistsUpdateChecklistAnswer>;
}
