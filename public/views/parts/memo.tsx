import { Component, type ComponentType, h } from 'preact';

/** A component that is drawn again only when one of its properties is another value. */
export function memo<P extends object>(view: ComponentType<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const names = new Set([...Object.keys(next), ...Object.keys(this.props)]);
      return [...names].some((name) => Reflect.get(next, name) !== Reflect.get(this.props, name));
    }
    render() {
      return h(view, this.props);
    }
  };
}
