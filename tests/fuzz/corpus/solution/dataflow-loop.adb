<?xml version="1.0"?><!DOCTYPE boost_serialization><boost_serialization><syndb><cdfg><name>top</name><nodes><item><Value><Obj><id>1</id><name>q</name><fileName>a.cpp</fileName><lineNumber>1</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>alloca</opcode></item>
<item><Value><Obj><id>2</id><name></name><fileName>a.cpp</fileName><lineNumber>2</lineNumber></Obj></Value><oprand_edges><item>90000</item>
</oprand_edges><opcode>br</opcode></item>
<item><Value><Obj><id>3</id><name>i</name><fileName>a.cpp</fileName><lineNumber>3</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>phi</opcode></item>
<item><Value><Obj><id>4</id><name>done</name><fileName>a.cpp</fileName><lineNumber>4</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>icmp</opcode></item>
<item><Value><Obj><id>5</id><name></name><fileName>a.cpp</fileName><lineNumber>5</lineNumber></Obj></Value><oprand_edges><item>90001</item>
<item>90002</item>
</oprand_edges><opcode>br</opcode></item>
<item><Value><Obj><id>6</id><name></name><fileName>a.cpp</fileName><lineNumber>6</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>call</opcode></item>
<item><Value><Obj><id>7</id><name></name><fileName>a.cpp</fileName><lineNumber>7</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>call</opcode></item>
<item><Value><Obj><id>8</id><name>next</name><fileName>a.cpp</fileName><lineNumber>8</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>add</opcode></item>
<item><Value><Obj><id>9</id><name></name><fileName>a.cpp</fileName><lineNumber>9</lineNumber></Obj></Value><oprand_edges><item>90003</item>
</oprand_edges><opcode>br</opcode></item>
<item><Value><Obj><id>10</id><name>r</name><fileName>a.cpp</fileName><lineNumber>10</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>call</opcode></item>
<item><Value><Obj><id>11</id><name>a</name><fileName>a.cpp</fileName><lineNumber>11</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>call</opcode></item>
<item><Value><Obj><id>12</id><name>b</name><fileName>a.cpp</fileName><lineNumber>12</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>call</opcode></item>
<item><Value><Obj><id>13</id><name>c</name><fileName>a.cpp</fileName><lineNumber>13</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>call</opcode></item>
<item><Value><Obj><id>14</id><name></name><fileName>a.cpp</fileName><lineNumber>14</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>store</opcode></item>
<item><Value><Obj><id>15</id><name></name><fileName>a.cpp</fileName><lineNumber>15</lineNumber></Obj></Value><oprand_edges></oprand_edges><opcode>ret</opcode></item>
</nodes><blocks><item><Obj><id>1000</id><name>entry</name></Obj><node_objs><item>1</item>
<item>2</item>
</node_objs></item>
<item><Obj><id>1001</id><name>head</name></Obj><node_objs><item>3</item>
<item>4</item>
<item>5</item>
</node_objs></item>
<item><Obj><id>1002</id><name>body</name></Obj><node_objs><item>6</item>
<item>7</item>
<item>8</item>
<item>9</item>
</node_objs></item>
<item><Obj><id>1003</id><name>exit</name></Obj><node_objs><item>10</item>
<item>11</item>
<item>12</item>
<item>13</item>
<item>14</item>
<item>15</item>
</node_objs></item>
</blocks><edges><item><id>90000</id><edge_type>2</edge_type><source_obj>1001</source_obj><sink_obj>2</sink_obj></item>
<item><id>90001</id><edge_type>2</edge_type><source_obj>1002</source_obj><sink_obj>5</sink_obj></item>
<item><id>90002</id><edge_type>2</edge_type><source_obj>1003</source_obj><sink_obj>5</sink_obj></item>
<item><id>90003</id><edge_type>2</edge_type><source_obj>1001</source_obj><sink_obj>9</sink_obj></item>
</edges></cdfg><cdfg_regions><item><mId>0</mId><mTag>r0</mTag><mType>0</mType><mII>-1</mII><mDepth>-1</mDepth><mIsDfPipe>0</mIsDfPipe><sub_regions/><basic_blocks><item>1000</item>
<item>1003</item>
</basic_blocks></item>
<item><mId>1</mId><mTag>r1</mTag><mType>1</mType><mII>-1</mII><mDepth>-1</mDepth><mIsDfPipe>1</mIsDfPipe><mDfPipe><process_list><item><pins/><inst object_id="_6"><ssdmobj_id>6</ssdmobj_id></inst></item>
<item><pins/><inst object_id="_7"><ssdmobj_id>7</ssdmobj_id></inst></item>
<item><pins/><inst object_id="_10"><ssdmobj_id>10</ssdmobj_id></inst></item>
<item><pins/><inst object_id="_11"><ssdmobj_id>11</ssdmobj_id></inst></item>
<item><pins/><inst object_id="_12"><ssdmobj_id>12</ssdmobj_id></inst></item>
<item><pins/><inst object_id="_13"><ssdmobj_id>13</ssdmobj_id></inst></item>
</process_list><channel_list><item><ssdmobj_id>70000</ssdmobj_id><name>q</name><depth>2</depth><source><inst object_id_reference="_6"/></source><sink><inst object_id_reference="_7"/></sink></item>
</channel_list></mDfPipe><sub_regions/><basic_blocks><item>1001</item>
<item>1002</item>
</basic_blocks></item>
</cdfg_regions><node_label_latency><item><first>1</first><second><first>0</first><second>0</second></second></item>
<item><first>2</first><second><first>0</first><second>0</second></second></item>
<item><first>3</first><second><first>0</first><second>0</second></second></item>
<item><first>4</first><second><first>0</first><second>0</second></second></item>
<item><first>5</first><second><first>0</first><second>0</second></second></item>
<item><first>6</first><second><first>0</first><second>0</second></second></item>
<item><first>7</first><second><first>0</first><second>0</second></second></item>
<item><first>8</first><second><first>0</first><second>0</second></second></item>
<item><first>9</first><second><first>0</first><second>0</second></second></item>
<item><first>10</first><second><first>1</first><second>6</second></second></item>
<item><first>11</first><second><first>8</first><second>0</second></second></item>
<item><first>12</first><second><first>9</first><second>0</second></second></item>
<item><first>13</first><second><first>9</first><second>1</second></second></item>
<item><first>14</first><second><first>10</first><second>0</second></second></item>
<item><first>15</first><second><first>10</first><second>0</second></second></item>
</node_label_latency><bblk_ent_exit><item><first>1000</first><second><first>0</first><second>0</second></second></item>
<item><first>1001</first><second><first>0</first><second>0</second></second></item>
<item><first>1002</first><second><first>0</first><second>0</second></second></item>
<item><first>1003</first><second><first>1</first><second>10</second></second></item>
</bblk_ent_exit></syndb></boost_serialization>