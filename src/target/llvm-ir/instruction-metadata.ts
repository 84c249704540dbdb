/**
 * Metadata of instructions besides their place: what an access aliases, and how a loop is to be transformed.
 * Source: mlir/lib/Target/LLVMIR/ModuleTranslation.cpp (setAliasScopeMetadata); llvm/include/llvm/IR/FixedMetadataKinds.def.
 */
import { AliasScopeAttr, AliasScopeDomainAttr } from "../../dialects/llvm/attrs/index.js";
import type { Attribute } from "../../ir/attribute.js";
import { ArrayAttr, StringAttr } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import type { MetadataNode } from "./debug-info.js";
import { loopMetadata } from "./loop-metadata.js";
import { escapedText } from "./types.js";

const leaf = (text: string): MetadataNode => ({ slot: -1, operands: [], text: () => text });

/** The nodes that instructions refer to, one for each attribute. */
export class InstructionMetadata {
  readonly #nodes = new Map<Attribute, MetadataNode>();
  readonly #invariant = leaf("!{}");
  readonly #nontemporal = leaf("!{i32 1}");

  /** The kinds and nodes of an op, in the order of LLVM's kinds. */
  of(op: Operation): readonly (readonly [kind: string, node: MetadataNode])[] {
    const made: (readonly [string, MetadataNode])[] = [];
    const add = (kind: string, attr: Attribute | undefined, make: (attr: Attribute) => MetadataNode): void => {
      if (attr) made.push([kind, this.known(attr, make)]);
    };
    if (op.hasAttr("invariant")) made.push(["invariant.load", this.#invariant]);
    add("alias.scope", op.attr("alias_scopes"), (attr) => this.list(attr));
    add("noalias", op.attr("noalias_scopes"), (attr) => this.list(attr));
    if (op.hasAttr("nontemporal")) made.push(["nontemporal", this.#nontemporal]);
    add("llvm.loop", op.attr("loop_annotation"), loopMetadata);
    return made;
  }

  private known(attr: Attribute, make: (attr: Attribute) => MetadataNode): MetadataNode {
    let node = this.#nodes.get(attr);
    if (!node) this.#nodes.set(attr, (node = make(attr)));
    return node;
  }

  private list(attr: Attribute): MetadataNode {
    const operands = ArrayAttr.params(attr).elements.map((scope) => this.known(scope, (of) => this.scope(of)));
    return { slot: -1, operands, text: () => `!{${operands.map(({ slot }) => `!${slot}`).join(", ")}}` };
  }
  /** A scope, or the domain that it is in. An id that is no text is the node itself. */
  private scope(attr: Attribute): MetadataNode {
    const params = AliasScopeAttr.match(attr)?.params;
    const { id, description } = params ?? AliasScopeDomainAttr.params(attr);
    const operands = params ? [this.known(params.domain, (of) => this.scope(of))] : [];
    const text = (of: Attribute): string => `!"${escapedText(StringAttr.params(of).value)}"`;
    const named = StringAttr.is(id);
    const node: MetadataNode = {
      slot: -1,
      operands,
      text: () => {
        const parts = [
          named ? text(id) : `!${node.slot}`,
          ...operands.map(({ slot }) => `!${slot}`),
          ...(description ? [text(description)] : []),
        ];
        return `${named ? "" : "distinct "}!{${parts.join(", ")}}`;
      },
    };
    return node;
  }
}
