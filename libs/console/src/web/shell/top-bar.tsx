import { linkTo } from './routes.ts';

interface Props {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** In a narrow window, the button that shows the navigation. */
export function TopBar({ isOpen, onToggle }: Props) {
  return (
    <header class="top-bar">
      <button type="button" aria-expanded={isOpen} aria-controls="sidebar" onClick={onToggle}>
        {isOpen ? 'Close menu' : 'Menu'}
      </button>
      <a class="brand" href={linkTo.overview()}>
        apichain
      </a>
    </header>
  );
}
