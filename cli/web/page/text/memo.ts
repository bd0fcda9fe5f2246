import { type Attributes, Component, type ComponentType, type FunctionComponent, h, type VNode } from 'preact';

/** A component that is drawn again only when its properties differ: `memo` without the compatibility layer. */
export function memo<P extends object>(
  draw: FunctionComponent<P>,
  isSame: (a: P, b: P) => boolean = shallow,
): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return !isSame(this.props, next);
    }
    render(): VNode<Attributes & P> {
      return h(draw, this.props);
    }
  };
}

function shallow(a: object, b: object): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => Reflect.get(a, key) === Reflect.get(b, key));
}
