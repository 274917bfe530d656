// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardChecklistItems.addItemToChecklist`. */
export interface CardChecklistItemsAddItemToChecklistArguments {
  readonly path: {
    readonly card_id: number;
    readonly checklist_id: number;
  };
  readonly body: {
    readonly text: string;
    readonly sort_order?: number | undefined;
    readonly checked?: boolean | undefined;
    readonly due_date?: string | null | undefined;
    readonly responsible_id?: number | undefined;
  };
}

/** Answer of `cardChecklistItems.addItemToChecklist`. */
export interface CardChecklistItemsAddItemToChecklistAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.text`. */
  text: string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.checked`. */
  checked: boolean | null;
  /** Inferred from the parameters called `checklist_id`. */
  checklist_id: number;
  /** Inferred from its name. */
  checker_id: number | string | null;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from its name: a time. */
  checked_at: string | null;
  /** Inferred from the parameters called `responsible_id`. */
  responsible_id: number | null;
  deleted: unknown;
  /** Inferred from its name: a time. */
  due_date: string | null;
}

/** Arguments of `cardChecklistItems.removeChecklistItem`. */
export interface CardChecklistItemsRemoveChecklistItemArguments {
  readonly path: {
    readonly card_id: number;
    readonly checklist_id: number;
    readonly id: number;
  };
}

/** Answer of `cardChecklistItems.removeChecklistItem`. */
export interface CardChecklistItemsRemoveChecklistItemAnswer {
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `cardChecklistItems.updateChecklistItem`. */
export interface CardChecklistItemsUpdateChecklistItemArguments {
  readonly path: {
    readonly card_id: number;
    readonly checklist_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly text?: string | null | undefined;
    readonly sort_order?: number | undefined;
    readonly checklist_id?: number | undefined;
    readonly checked?: boolean | undefined;
    readonly due_date?: string | null | undefined;
    readonly responsible_id?: number | null | undefined;
  } | undefined;
}

/** Answer of `cardChecklistItems.updateChecklistItem`. */
export interface CardChecklistItemsUpdateChecklistItemAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.text`. */
  text: string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.checked`. */
  checked: boolean | null;
  /** Inferred from the parameters called `checklist_id`. */
  checklist_id: number;
  /** Inferred from its name. */
  checker_id: number | string | null;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from its name: a time. */
  checked_at: string | null;
  /** Inferred from the parameters called `responsible_id`. */
  responsible_id: number | null;
  deleted: unknown;
  /** Inferred from its name: a time. */
  due_date: string | null;
}

/** Operations of `client.cardChecklistItems`. */
export interface CardChecklistItemsOperations {
  /**
   * Adds an item.
   *
   * `POST /cards/{card_id}/checklists/{checklist_id}/items`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`, `checklist_id`; `body`: `text` (required), `sort_order`,
   * `checked`, `due_date`, `responsible_id`
   */
  readonly addItemToChecklist: Call<CardChecklistItemsAddItemToChecklistArguments, CardChecklistItemsAddItemToChecklistAnswer>;

  /**
   * Removes an item.
   *
   * `DELETE /cards/{card_id}/checklists/{checklist_id}/items/{id}`
   *
   * @param args `path`: `card_id`, `checklist_id`, `id`
   */
  readonly removeChecklistItem: Call<CardChecklistItemsRemoveChecklistItemArguments, CardChecklistItemsRemoveChecklistItemAnswer | undefined>;

  /**
   * Changes an item, checks it, or moves it to another checklist.
   *
   * `PATCH /cards/{card_id}/checklists/{checklist_id}/items/{id}`
   *
   * @param args `path`: `card_id`, `checklist_id`, `id`; `body`: `text`, `sort_order`,
   * `checklist_id`, `checked`, `due_date`, `responsible_id`
   */
  readonly updateChecklistItem: Call<CardChecklistItemsUpdateChecklistItemArguments, CardChecklistItemsUpdateChecklistItemAnswer>;
}
