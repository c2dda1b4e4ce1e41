import type { ComponentChildren } from 'preact';

/** A table that scrolls sideways where it is too wide. `children` are its rows; `actions`: a last column with buttons. */
export function ListTable({
  label,
  columns,
  actions = false,
  children,
}: {
  label: string;
  columns: readonly string[];
  actions?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={label}>
      <table class="list-table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column}>{column}</th>
            ))}
            {actions && <th class="actions">Actions</th>}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
