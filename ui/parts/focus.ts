import { useEffect } from 'react';

/** Leads the keyboard, and whoever hears the page read, to the content of the page. */
export function focusPage(): void {
  document.getElementById('page')?.focus({ preventScroll: true });
}

/** Leads the keyboard to the page once buttons are gone because of what was done with them. */
export function useFocusAfter(): void {
  useEffect(() => () => void requestAnimationFrame(focusWhatIsLost), []);
}

function focusWhatIsLost(): void {
  if (document.activeElement === document.body) focusPage();
}
