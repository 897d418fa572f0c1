<?xml version="1.0"?><!DOCTYPE boost_serialization><boost_serialization><syndb><cdfg><name>more</name><nodes><item><Value><Obj><id>1</id><name>y</name><fileName>a.cpp</fileName><lineNumber>1</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>add</opcode></item>
<item><Value><Obj><id>2</id><name></name><fileName>a.cpp</fileName><lineNumber>2</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>ret</opcode></item>
</nodes><blocks><item><Obj><id>1000</id><name></name></Obj><node_objs><item>1</item>
<item>2</item>
</node_objs></item>
</blocks><edges></edges></cdfg><cdfg_regions><item><mId>0</mId><mTag>r0</mTag><mType>0</mType><mII>-1</mII><mDepth>-1</mDepth><mIsDfPipe>0</mIsDfPipe><sub_regions/><basic_blocks><item>1000</item>
</basic_blocks></item>
</cdfg_regions><node_label_latency><item><first>1</first><second><first>0</first><second>0</second></second></item>
<item><first>2</first><second><first>1</first><second>0</second></second></item>
</node_label_latency><bblk_ent_exit><item><first>1000</first><second><first>0</first><second>1</second></second></item>
</bblk_ent_exit></syndb></boost_serialization>