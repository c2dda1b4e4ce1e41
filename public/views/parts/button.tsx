import type { ComponentChildren } from 'preact';
import { useOnce } from './hooks.ts';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  children?: ComponentChildren;
  /** While the promise it gives is pending, nothing is done again. */
  onClick?: () => unknown;
  icon?: IconName;
  /** The name for people who do not see the icon; also the tooltip. */
  label?: string | undefined;
  tone?: 'plain' | 'primary' | 'danger' | 'quiet';
  type?: 'button' | 'submit';
  disabled?: boolean;
  keys?: string | undefined;
  pressed?: boolean;
  expanded?: boolean;
  class?: string;
}

/** Every button of the console. */
export function Button(props: ButtonProps) {
  const { children, icon, label, tone = 'plain', type = 'button', keys } = props;
  const only = children === undefined;
  const [busy, once] = useOnce();
  return (
    <button
      type={type}
      class={`button ${tone} ${only ? 'icon-only' : ''} ${props.class ?? ''}`}
      onClick={() => props.onClick && once(props.onClick)}
      disabled={props.disabled}
      aria-busy={busy}
      aria-label={only ? label : undefined}
      title={label ? `${label}${keys && only ? ` (${keys})` : ''}` : undefined}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
    >
      {icon && <Icon name={icon} />}
      {children}
      {keys && !only && <kbd>{keys}</kbd>}
    </button>
  );
}
